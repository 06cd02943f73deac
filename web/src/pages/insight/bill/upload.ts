import { ApiError } from '../../../api/client.ts';
import type { DateOrder, Imported } from './queries.ts';

type Options = {
  orgId: string;
  signal: AbortSignal;
  /** How to read dates with slashes; null lets the server decide. */
  dateOrder: DateOrder | null;
  onProgress: (share: number) => void;
};

/**
 * Uploads a report. `onProgress` gets the fraction that is sent; reading it on the server takes about as long again.
 */
export function uploadReport(
  file: File,
  { orgId, signal, dateOrder, onProgress }: Options,
): Promise<Imported> {
  return new Promise((resolve, reject) => {
    // `fetch` does not report upload progress.
    const request = new XMLHttpRequest();
    // Another tab may have signed in to another organization, which must not receive the report.
    const query = new URLSearchParams({ org_id: orgId, file_name: file.name.slice(0, 255) });
    if (dateOrder) query.set('date_order', dateOrder);
    request.open('POST', `/api/v1/bills/reports?${query}`);
    request.setRequestHeader('content-type', 'text/csv');
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      const { status, response } = request;
      if (status === 200 || status === 201) resolve(response.data);
      else reject(new ApiError(status, response ?? {}));
    });
    request.addEventListener('error', () => reject(new ApiError(0, {})));
    request.addEventListener('abort', () => reject(new DOMException('Stopped.', 'AbortError')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
