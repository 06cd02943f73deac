import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useOrganizationId } from '../../api/session.ts';
import type { Outcome } from './ImportResult.tsx';
import { reconciliationKey, reportsKey } from './queries.ts';
import { uploadReport } from './upload.ts';

/** The file that is on its way, and the share of it that has been sent. */
export type Under = { name: string; share: number };

/** Sends files one after the other, and remembers what became of those of the last time. */
export function useImports() {
  const queryClient = useQueryClient();
  const orgId = useOrganizationId();
  const [under, setUnder] = useState<Under | null>(null);
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const send = async (files: File[]): Promise<void> => {
    if (stop.current || files.length === 0) return;
    const { signal } = (stop.current = new AbortController());
    setOutcomes([]);
    for (const file of files) {
      if (signal.aborted) break;
      setUnder({ name: file.name, share: 0 });
      const onProgress = (share: number): void => setUnder({ name: file.name, share });
      const outcome = await uploadReport(file, { orgId, signal, onProgress }).then(
        (report): Outcome => ({ name: file.name, report }),
        (error: Error): Outcome => ({ name: file.name, error }),
      );
      if (!signal.aborted) setOutcomes((before) => [...before, outcome]);
    }
    stop.current = null;
    setUnder(null);
    const shown = [reportsKey, reconciliationKey];
    await Promise.all(shown.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  };
  return { under, outcomes, send, stop: () => stop.current?.abort() };
}
