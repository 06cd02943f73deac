/** Old addresses of pages, which links in emails and notes may still use. */
export const movedPages: Readonly<Record<string, string>> = {
  '/showback': '/teams',
  '/backfills': '/history',
  '/settings/sources': '/sources',
  '/settings/share-links': '/share-links',
  '/settings/pricing?tab=included': '/settings/discounts',
  '/settings/pricing?tab=lists': '/settings/price-history',
  '/settings/pricing?tab=reprice': '/settings/price-history',
  '/settings/pricing?tab=scenarios': '/settings/price-history',
};

/** The new address with the rest of the query; null if the page has not moved. */
export function movedTo(url: string): string | null {
  const [path = '', ...queries] = url.split('?');
  const parts = queries.join('?').split('&');
  const tab = parts.find((part) => Object.hasOwn(movedPages, `${path}?${part}`));
  const asked = tab === undefined ? path : `${path}?${tab}`;
  if (!Object.hasOwn(movedPages, asked)) return null;
  const rest = parts.filter((part) => part !== '' && part !== tab).join('&');
  return `${movedPages[asked]!}${rest && `?${rest}`}`;
}
