import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../api/client.ts';
import { useOrganizationId } from '../../../api/session.ts';
import type { Outcome } from './ImportResult.tsx';
import { ofReports, type DateOrder, type Imported } from './queries.ts';

export type Upload = { name: string; share: number };

export function useImports() {
  const queryClient = useQueryClient();
  const orgId = useOrganizationId();
  const [upload, setUpload] = useState<Upload | null>(null);
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const sendAll = async (
    files: File[],
    dateOrder: DateOrder | null,
    keep: (outcome: Outcome) => void,
  ): Promise<void> => {
    const { signal } = (stop.current = new AbortController());
    for (const file of files) {
      if (signal.aborted) break;
      setUpload({ name: file.name, share: 0 });
      const onProgress = (share: number): void => setUpload({ name: file.name, share });
      const outcome = await uploadReport(file, { orgId, signal, dateOrder, onProgress }).then(
        (report): Outcome => ({ file, report }),
        (error: Error): Outcome => ({ file, error }),
      );
      if (!signal.aborted) keep(outcome);
    }
    stop.current = null;
    setUpload(null);
    await Promise.all(ofReports.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  };
  const send = (files: File[]): void => {
    if (stop.current || files.length === 0) return;
    setOutcomes([]);
    void sendAll(files, null, (outcome) => setOutcomes((before) => [...before, outcome]));
  };
  const sendAgain = (earlier: Outcome, dateOrder: DateOrder): void => {
    if (stop.current) return;
    void sendAll([earlier.file], dateOrder, (outcome) =>
      setOutcomes((before) => before.map((each) => (each === earlier ? outcome : each))),
    );
  };
  return { upload, outcomes, send, sendAgain, stop: () => stop.current?.abort() };
}

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
function uploadReport(file: File, { orgId, signal, dateOrder, onProgress }: Options): Promise<Imported> {
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
