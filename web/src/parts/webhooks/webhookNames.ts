type Named = { name: string | null; url: string };

/** Without a name, two webhooks of one host differ in their paths. */
export function nameOf({ name, url }: Named): string {
  return name ?? shortUrl(url);
}

export function shortUrl(url: string): string {
  return url.replace(/^https:\/\//, '').replace(/\/$/, '');
}

/** For browser storage, because the path of a URL can be a secret. */
export function tabTitleOf({ name, url }: Named): string {
  return name ?? new URL(url).host;
}
