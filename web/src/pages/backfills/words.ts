/** Why a backfill does nothing at the moment. */
export const waitWords = {
  rate_limit: 'The requests that GitHub allows an hour are used up.',
  secondary_rate_limit: 'GitHub asks for slower requests.',
  unreachable: 'GitHub does not answer.',
};

/** `acme/app and 3 more` */
export function repositoriesText([first, ...others]: string[]): string {
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`;
}

/** `99.4 %`; 100 only where nothing at all was missing. */
export function shareText(share: number): string {
  return `${share === 1 ? '100' : Math.min(99.9, Math.floor(1_000 * share) / 10).toFixed(1)} %`;
}

/** The repositories in a text, with blanks, commas or line breaks between them; also those of whole addresses. */
export function repositoriesIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((part) => part.replace(/^https?:\/\/[^/]+\//, '').replace(/(\.git)?\/*$/, ''))
    .filter((part) => part !== '');
}
