import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useOrganizationId } from '../../../api/session.ts';
import type { Outcome } from './ImportResult.tsx';
import { billedMonthsKey, reconciliationKey, reportsKey, type DateOrder } from './queries.ts';
import { uploadReport } from './upload.ts';

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
    const shown = [reportsKey, reconciliationKey, billedMonthsKey];
    await Promise.all(shown.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
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
