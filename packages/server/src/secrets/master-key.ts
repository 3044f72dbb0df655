import type { KeyObject } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { KEY_BYTES, keyFrom, newKey, type VersionedKey } from './sealing.ts';

/**
 * The master key seals every other key. It comes from the environment, or from a file that is created at the first
 * start and that only its owner can read. Each line (or part between commas) is `<version>:<32 bytes in base64>`. The
 * highest version seals; all of them open.
 */
export type MasterKey = {
  readonly current: VersionedKey;
  /** Reads the source again if the version is unknown, because another process may have rotated the key. */
  key(version: number): VersionedKey;
  has(version: number): boolean;
};

export type MasterKeySource = { env: string } | { file: string };

const PART = /^(\d{1,9}):([A-Za-z0-9+/]{43}=)$/;

export function parseMasterKey(text: string, where: string): Map<number, VersionedKey> {
  const keys = new Map<number, VersionedKey>();
  for (const part of text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean)) {
    const match = PART.exec(part);
    const version = Number(match?.[1]);
    if (!match?.[2] || version < 1 || keys.has(version)) {
      throw new Error(`${where} must hold "<version>:<${KEY_BYTES} bytes in base64>", one for each version`);
    }
    keys.set(version, { version, key: keyFrom(Buffer.from(match[2], 'base64')) });
  }
  if (keys.size === 0) throw new Error(`${where} holds no key`);
  return keys;
}

export function openMasterKey(source: MasterKeySource): MasterKey {
  const readKeys = () =>
    'env' in source
      ? parseMasterKey(source.env, 'GROVE_MASTER_KEY')
      : parseMasterKey(readFileSync(source.file, 'utf8'), `The master key file ${source.file}`);
  let keys = readKeys();
  const newest = () => keys.get(Math.max(...keys.keys())) as VersionedKey;
  return {
    get current() {
      return newest();
    },
    has: (version) => keys.has(version),
    key(version) {
      if (!keys.has(version)) keys = readKeys();
      const key = keys.get(version);
      if (!key) throw new Error(`Version ${version} of the master key is needed and not given`);
      return key;
    },
  };
}

/** Creates the file. Fails if it exists, because an overwritten key is lost data. */
export function createMasterKeyFile(file: string): void {
  // The file appears as a whole: an empty file left by a crash would stop the next start.
  const beside = `${file}.${process.pid}.new`;
  rmSync(beside, { force: true });
  writeDurably(beside, `${line(1, newKey())}\n`);
  try {
    linkSync(beside, file);
  } finally {
    rmSync(beside);
  }
  syncFolder(dirname(file));
}

/** The versions that the file holds, the newest first. */
export function masterKeyVersions(file: string): number[] {
  return [...parseMasterKey(readFileSync(file, 'utf8'), file).keys()].sort((one, other) => other - one);
}

/**
 * Adds the next version. The old version stays until all its values are sealed with the new one. No number is used for
 * two keys: the retired versions beside the file count as well, even if an older file was restored.
 */
export function addMasterKeyVersion(file: string): number {
  const text = readFileSync(file, 'utf8');
  const retired = retiredFiles(file).flatMap((each) => masterKeyVersions(each));
  const next = Math.max(...parseMasterKey(text, file).keys(), ...retired) + 1;
  replaceFile(file, `${line(next, newKey())}\n${text.trim()}\n`);
  return next;
}

/**
 * Drops every version but the newest. It first writes them to a file beside the key, which the operator must keep for
 * older backups. Returns that file; undefined if there is only one version.
 */
export function keepNewestMasterKey(file: string, now: number): string | undefined {
  const keys = [...parseMasterKey(readFileSync(file, 'utf8'), file).values()];
  const newest = keys.reduce((one, other) => (one.version > other.version ? one : other));
  const old = keys.filter(({ version }) => version !== newest.version);
  if (old.length === 0) return undefined;
  const retired = `${file}${RETIRED}${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
  writeDurably(retired, old.map(({ version, key }) => `${line(version, key)}\n`).join(''));
  replaceFile(file, `${line(newest.version, newest.key)}\n`);
  return retired;
}

const RETIRED = '.retired-';

function retiredFiles(file: string): string[] {
  const prefix = `${basename(file)}${RETIRED}`;
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(prefix));
  return names.map((name) => join(dirname(file), name));
}

function line(version: number, key: KeyObject): string {
  return `${version}:${key.export().toString('base64')}`;
}

function replaceFile(file: string, text: string): void {
  // A text that cannot be parsed must never replace a good key.
  parseMasterKey(text, file);
  const beside = `${file}.new`;
  rmSync(beside, { force: true });
  writeDurably(beside, text);
  renameSync(beside, file);
  syncFolder(dirname(file));
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
