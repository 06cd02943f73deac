import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { openOwnPostgres, type OwnPostgres } from '../../src/platform/postgres/ownPostgres.ts';

const forTests = {
  // The server lives for one test run, so its data need not survive a crash.
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Databases live for seconds, so vacuum costs more than it gains.
  autovacuum: 'off',
  // Does not leave segments in memory when a test run is killed.
  dynamic_shared_memory_type: 'mmap',
};

/** The PostgreSQL that the program brings, or that of POSTGRES_BIN, in a new folder under `parent`. */
export function startTestPostgres(parent: string): Promise<OwnPostgres> {
  return openOwnPostgres({
    dataDir: mkdtempSync(join(parent, 'pg-')),
    postgresBin: process.env.POSTGRES_BIN ?? null,
    memoryMegabytes: 256,
    maxConnections: 400,
    mayCreate: true,
    settings: forTests,
  });
}
