/** What a cost is for, with its words. Jobs are compute; the others come from the bill and from reports of runs. */
export const productWords = {
  compute: 'minutes of CI jobs',
  storage: 'artifacts, caches, packages and custom images',
  ai_credits: 'AI credits',
  sandbox: 'sandboxes',
  lfs: 'Git LFS',
  third_party: 'apps of the GitHub Marketplace',
  other: 'everything else, such as seats',
} as const;

export type Product = keyof typeof productWords;
export const products = Object.keys(productWords) as Product[];
