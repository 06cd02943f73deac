import type { Payload } from '../payloads/gitHub.ts';

type Artifact = {
  run?: number | null;
  name?: string;
  bytes: number;
  created: string;
  expires: string | null;
  expired?: boolean;
};

/** An artifact as GitHub lists it. */
export function artifactOf({
  run = null,
  name = 'dist',
  bytes,
  created,
  expires,
  expired = false,
}: Artifact): Payload {
  return {
    name,
    size_in_bytes: bytes,
    expired,
    created_at: created,
    expires_at: expires,
    workflow_run: run === null ? null : { id: run, head_branch: 'main', head_sha: 'f00' },
  };
}

type Cache = { key: string; ref?: string; bytes: number; created: string; used?: string };

export function cacheOf({ key, ref = 'refs/heads/main', bytes, created, used = created }: Cache): Payload {
  return {
    id: 1,
    key,
    ref,
    version: 'v1',
    size_in_bytes: bytes,
    created_at: created,
    last_accessed_at: used,
  };
}

export const gigabyte = 2 ** 30;
