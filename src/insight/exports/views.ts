import type { EventData } from '../../events/eventTypes.ts';
import { taskView } from '../../platform/http/views.ts';
import { expiryOf, fileNameOf, type Export } from './exportTask.ts';

type Download = { publicUrl: string; now: Date };

/** An export as the API shows it: with where its file is while it can be fetched. */
export function exportView(shown: Export, { publicUrl, now }: Download) {
  const { id, input, state } = shown;
  const expiresAt = expiryOf(shown);
  const canBeFetched = expiresAt !== null && expiresAt > now;
  return {
    id,
    dataset: input.dataset,
    format: input.format,
    from: new Date(input.from),
    to: new Date(input.to),
    rows: Number(shown.done),
    bytes: state.bytes,
    sha256: state.sha256 ?? null,
    file_name: fileNameOf(input),
    download_url: canBeFetched ? downloadUrl(publicUrl, id) : null,
    expires_at: expiresAt,
    ...taskView(shown),
  };
}

/** What the event says of a file that is ready. */
export function readyEvent(
  { id, input, state, done, createdAt }: Export,
  { sha256, expiresAt, publicUrl }: { sha256: string; expiresAt: Date; publicUrl: string },
): EventData['export.ready'] {
  return {
    export: {
      id,
      format: input.format,
      dataset: input.dataset,
      rows: Number(done),
      bytes: state.bytes,
      sha256,
      created_at: createdAt,
      expires_at: expiresAt,
      download_url: downloadUrl(publicUrl, id),
    },
  };
}

function downloadUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/api/v1/exports/${id}/download`;
}
