import { ApiError } from '../../../api/client.ts';
import type { DateOrder, Imported } from './queries.ts';

type Options = {
  orgId: string;
  signal: AbortSignal;
  /** How its dates with slashes are read; without it, as the file shows. */
  dateOrder: DateOrder | null;
  onProgress: (share: number) => void;
};

/**
 * Sends a report, which may be large: `onProgress` hears the share that has been sent. Once all of it is, the server
 * reads it, which takes about as long again. Aborting lets go of it.
 */
export function uploadReport(
  file: File,
  { orgId, signal, dateOrder, onProgress }: Options,
): Promise<Imported> {
  return new Promise((resolve, reject) => {
    // `fetch` does not tell how much it has sent.
    const request = new XMLHttpRequest();
    // Another tab may have signed in to another organization: the report is not for that one.
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
