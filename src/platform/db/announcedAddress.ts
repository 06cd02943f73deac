import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server with its own database says where it is, for the links that commands print: it may have chosen its port. */
export function announceAddress(dataDir: string, publicUrl: string): void {
  writeFileSync(fileIn(dataDir), `${publicUrl}\n`, { mode: 0o600 });
}

/** Another server on the same folder may have said where it is meanwhile. */
export function forgetAddress(dataDir: string, publicUrl: string): void {
  if (readAddress(dataDir) === publicUrl) rmSync(fileIn(dataDir), { force: true });
}

/** The address of the running server on this folder; null if there is none. */
export function readAddress(dataDir: string): string | null {
  try {
    return readFileSync(fileIn(dataDir), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'address');
}
