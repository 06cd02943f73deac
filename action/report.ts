export type Report = {
  markdown: string;
  check: { conclusion: string; title: string; summary: string };
};

/** Of `POST /api/v1/pull-request-reports`. Other servers answer with JSON, too. */
export function reportIn(answer: unknown, host: string): Report {
  const { data } = (answer ?? {}) as { data?: Partial<Report> | null };
  const { conclusion, title, summary } = data?.check ?? {};
  const texts = [data?.markdown, conclusion, title, summary];
  if (texts.every((text) => typeof text === 'string')) return data as Report;
  throw new Error(`${host} answers without a report. Is it the address of your Runcost server?`);
}
