import { Button, Group, NavLink, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { Suspense, useEffect, useState } from 'react';
import { callForBlob, callLoosely } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { lazily } from '../api/when-unreachable.ts';
import { say, useAct } from '../parts/act.ts';
import type { CodeLanguage } from '../parts/code-editor.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { useLeaveGuard } from '../parts/use-leave-guard.ts';
import { useT } from '../texts/texts.tsx';

const CodeEditor = lazily(() => import('../parts/code-editor.tsx'), 'CodeEditor');

type Files = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

const MAX_PATH = 200;
const TEXT_LANGUAGES: Readonly<Record<string, CodeLanguage>> = {
  html: 'html',
  css: 'css',
  js: 'javascript',
  mjs: 'javascript',
  json: 'json',
};
const PICTURES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};
const STARTER = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Welcome</title>
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <h1>Welcome</h1>
  </body>
</html>
`;
const STARTER_STYLE = `body {
  font-family: system-ui, sans-serif;
}
`;

const endingOf = (path: string) => path.slice(path.lastIndexOf('.') + 1).toLowerCase();
const bytesOf = (text: string) => strToU8(text) as Uint8Array<ArrayBuffer>;

/** Folders are entries of their own without content, so they are dropped. */
async function fetchFiles(id: string | undefined): Promise<Files> {
  if (!id) return { 'index.html': bytesOf(STARTER), 'style.css': bytesOf(STARTER_STYLE) };
  const archive = await callForBlob('customPages', 'getArchive', { params: { id } }, 'application/zip');
  const entries = Object.entries(unzipSync(new Uint8Array(await archive.arrayBuffer())));
  return Object.fromEntries(entries.filter(([path]) => !path.endsWith('/'))) as Files;
}

/** Edits the files of a custom page. Saving creates the next version; a version never changes. */
export function PageSource() {
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  const { version } = useSearch({ strict: false }) as { version?: string };
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'page-files', name, version],
    queryFn: () => fetchFiles(version),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Guarded group="customPages" name={version ? 'getArchive' : 'createVersion'}>
      {query.isPending && <Waiting />}
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.data && <Source key={version ?? 'new'} name={name} stored={query.data} isNew={version === undefined} />}
    </Guarded>
  );
}

type SourceProps = { name: string; stored: Files; isNew: boolean };

function Source({ name, stored, isNew }: SourceProps) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  const [files, setFiles] = useState(stored);
  const paths = Object.keys(files).toSorted();
  const [chosenPath, setPath] = useState('index.html');
  const path = chosenPath in files ? chosenPath : (paths[0] ?? '');
  const isChanged = isNew || files !== stored;
  const save = useAct(
    async () => {
      const body = new Blob([zipSync(files) as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
      return callLoosely('customPages', 'createVersion', { params: { name }, body }) as Promise<{ version: number }>;
    },
    ({ version }) => {
      say(t('pages.saved', { version }));
      navigate({ to: `/pages/${encodeURIComponent(name)}`, ignoreBlocker: true } as never);
    },
  );
  useLeaveGuard(files !== stored);
  const remove = () => setFiles(Object.fromEntries(Object.entries(files).filter(([each]) => each !== path)));
  const canSave = may('customPages', 'createVersion');
  return (
    <Page
      title={t('pages.source', { name })}
      actions={
        canSave && (
          <Button onClick={() => save.mutate(undefined)} loading={save.isPending} disabled={!isChanged}>
            {t('pages.saveNext')}
          </Button>
        )
      }
    >
      <div className="page-source">
        <Stack gap="sm">
          <FileList paths={paths} current={path} onPath={setPath} />
          {canSave && (
            <NewFile
              paths={paths}
              onFile={(newPath) => {
                setFiles({ ...files, [newPath]: bytesOf('') });
                setPath(newPath);
              }}
            />
          )}
        </Stack>
        <Stack>
          <FileContent
            key={path}
            path={path}
            content={files[path] ?? bytesOf('')}
            isReadOnly={!canSave}
            onContent={(content) => setFiles({ ...files, [path]: content })}
          />
          {canSave && path !== 'index.html' && (
            <Button size="xs" variant="default" className="self-start" onClick={remove}>
              {t('pages.removeFile')}
            </Button>
          )}
        </Stack>
      </div>
    </Page>
  );
}

type FileListProps = { paths: readonly string[]; current: string; onPath(path: string): void };

function FileList({ paths, current, onPath }: FileListProps) {
  const t = useT();
  return (
    <nav aria-label={t('pages.fileList')}>
      {paths.map((path) => (
        <NavLink
          key={path}
          component="button"
          type="button"
          label={<bdi>{path}</bdi>}
          active={path === current}
          {...(path === current && { 'aria-current': 'true' as const })}
          onClick={() => onPath(path)}
        />
      ))}
    </nav>
  );
}

function NewFile({ paths, onFile }: { paths: readonly string[]; onFile(path: string): void }) {
  const t = useT();
  const [path, setPath] = useState('');
  const isTaken = paths.includes(path);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (path === '' || isTaken) return;
        onFile(path);
        setPath('');
      }}
    >
      <Group gap="xs" align="flex-start">
        <TextInput
          className="grow"
          size="xs"
          label={t('pages.newFile')}
          description={t('pages.newFileHint')}
          value={path}
          error={isTaken && t('pages.taken')}
          onChange={(event) => setPath(event.currentTarget.value.trim())}
          maxLength={MAX_PATH}
          dir="ltr"
        />
        <Button size="xs" type="submit" variant="default" disabled={path === '' || isTaken}>
          {t('watchlists.add')}
        </Button>
      </Group>
    </form>
  );
}

type FileContentProps = {
  path: string;
  content: Uint8Array<ArrayBuffer>;
  isReadOnly: boolean;
  onContent(content: Uint8Array<ArrayBuffer>): void;
};

/** Shows a text in an editor and a picture as an image; any other file stays unchanged. */
function FileContent({ path, content, isReadOnly, onContent }: FileContentProps) {
  const t = useT();
  const ending = endingOf(path);
  const language = TEXT_LANGUAGES[ending];
  if (language) {
    return (
      <Suspense fallback={<Waiting />}>
        <CodeEditor
          label={path}
          value={strFromU8(content)}
          onValue={(text) => onContent(bytesOf(text))}
          language={language}
          isReadOnly={isReadOnly}
        />
      </Suspense>
    );
  }
  return PICTURES[ending] ? (
    <Picture path={path} content={content} type={PICTURES[ending]} />
  ) : (
    <Text size="sm">{t('pages.binary')}</Text>
  );
}

function Picture({ path, content, type }: { path: string; content: Uint8Array<ArrayBuffer>; type: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const objectUrl = URL.createObjectURL(new Blob([content], { type }));
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [content, type]);
  return url && <img src={url} alt={path} className="page-picture" />;
}
