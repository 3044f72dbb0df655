import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { Input } from '@mantine/core';
import { getNonce } from 'get-nonce';
import { useEffect, useRef } from 'react';
import { type CodeFault, diagnosticsOf, rangeOfPointer } from './code-places.ts';

/** An editor for code with line numbers, colours, search, undo and markers at faults. */
export type CodeLanguage = 'json' | 'html' | 'css' | 'javascript' | 'text';

const LANGUAGES: Record<CodeLanguage, () => Extension> = { json, html, css, javascript, text: () => [] };
const NO_FAULTS: readonly CodeFault[] = [];

export type CodeEditorProps = {
  label: string;
  description?: string;
  value: string;
  onValue(value: string): void;
  language: CodeLanguage;
  isReadOnly?: boolean;
  /** The faults by JSON pointer. A text that is not JSON has a marker anyway. */
  faults?: readonly CodeFault[];
  /** The position to show. A new object shows it again. */
  target?: { readonly pointer: string } | undefined;
};

export function CodeEditor(props: CodeEditorProps) {
  const { label, description, value, language, isReadOnly = false, faults = NO_FAULTS, target } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const locks = useRef(new Compartment());
  // biome-ignore lint/correctness/useExhaustiveDependencies: one editor per language; effects update it.
  useEffect(() => {
    const editor = new EditorView({
      parent: frame.current as HTMLElement,
      doc: latest.current.value,
      extensions: [
        ...BASICS,
        LANGUAGES[language](),
        locks.current.of(EditorState.readOnly.of(isReadOnly)),
        EditorView.cspNonce.of(getNonce() ?? ''),
        EditorView.contentAttributes.of({ 'aria-label': label, dir: 'ltr' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !isTextOf(state, latest.current.value)) latest.current.onValue(state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, [language, label]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || isTextOf(editor.state, value)) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: locks.current.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || language !== 'json' || !isTextOf(editor.state, value)) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, faults)));
  }, [faults, language, value]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !target) return;
    const { from, to } = rangeOfPointer(editor.state, target.pointer);
    editor.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
    editor.focus();
  }, [target]);
  return (
    <Input.Wrapper label={label} description={description} labelElement="div">
      <div ref={frame} className="code-editor" dir="ltr" />
    </Input.Wrapper>
  );
}

/** Whether the editor holds this text; it normalises line ends, which do not count. */
function isTextOf(state: EditorState, text: string): boolean {
  return state.doc.toString() === text.replaceAll(/\r\n?/g, '\n');
}

/** The Tab key leaves the editor, so that keyboard users are not trapped in it. */
const BASICS: readonly Extension[] = [
  lineNumbers(),
  history(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  lintGutter(),
  syntaxHighlighting(classHighlighter),
  EditorView.lineWrapping,
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
];
