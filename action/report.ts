export type Report = {
  markdown: string;
  check: { conclusion: string; title: string; summary: string };
};

/** The answer of `POST /api/v1/pull-request-reports`. Other servers can also answer with JSON, so it is checked. */
export function reportIn(answer: unknown, host: string): Report {
  const { data } = (answer ?? {}) as { data?: Partial<Report> | null };
  const { conclusion, title, summary } = data?.check ?? {};
  const texts = [data?.markdown, conclusion, title, summary];
  if (texts.every((text) => typeof text === 'string')) return data as Report;
  throw new Error(`${host} answers without a report. Is it the address of your Runcost server?`);
}
