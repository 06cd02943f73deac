import { ApiError } from '../../api/client.ts';
import type { Report } from './queries.ts';

export type Uploaded = { report: Report; isNew: boolean };

/**
 * Sends a report, which may be large: `onProgress` hears the share that has been sent. Once all of it is, the server
 * reads it, which takes about as long again. Aborting lets go of it.
 */
export function uploadReport(
  file: File,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number) => void },
): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    // `fetch` does not tell how much it has sent.
    const request = new XMLHttpRequest();
    request.open('POST', `/api/v1/bills/reports?file_name=${encodeURIComponent(file.name.slice(0, 255))}`);
    request.setRequestHeader('content-type', 'text/csv');
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      const { status, response } = request;
      if (status === 200 || status === 201) resolve({ report: response.data, isNew: status === 201 });
      else reject(new ApiError(status, response ?? {}));
    });
    request.addEventListener('error', () => reject(new ApiError(0, {})));
    request.addEventListener('abort', () => reject(new DOMException('Stopped.', 'AbortError')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
