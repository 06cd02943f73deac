import type { Product } from '../../platform/lib/products.ts';
import type { AllowedProduct } from '../pricing/publishedTerms.ts';

/** Reports write names with spaces, hyphens or underscores, in any case. */
export function normalizeName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}

/** Also of words in camel case, as units and columns have: `GigabyteHours`. */
export function normalizeWords(text: string): string {
  return normalizeName(text.replaceAll(/([a-z])([A-Z])/g, '$1_$2'));
}

export function normalizeSku(text: string): string {
  const name = normalizeName(text);
  const bare = name.replace(/^actions_/, '').replace(/^compute_ubuntu/, 'compute_linux');
  return bare.replace(/^compute_(?=linux|windows|macos)/, '') || name;
}

/** By our name of the kind: https://docs.github.com/en/billing/reference/product-and-sku-names */
const skus: Partial<Record<string, string>> = {
  linux_slim: 'linux_slim',
  linux_2_core: 'linux',
  linux_2_core_advanced: 'linux_2_core_advanced',
  linux_4_core: 'linux_4_core',
  linux_8_core: 'linux_8_core',
  linux_16_core: 'linux_16_core',
  linux_32_core: 'linux_32_core',
  linux_64_core: 'linux_64_core',
  linux_96_core: 'linux_96_core',
  linux_2_core_arm: 'linux_arm',
  linux_2_core_arm_advanced: 'linux_2_core_arm',
  linux_4_core_arm: 'linux_4_core_arm',
  linux_8_core_arm: 'linux_8_core_arm',
  linux_16_core_arm: 'linux_16_core_arm',
  linux_32_core_arm: 'linux_32_core_arm',
  linux_64_core_arm: 'linux_64_core_arm',
  linux_4_core_gpu: 'linux_4_core_gpu',
  windows_2_core: 'windows',
  windows_4_core: 'windows_4_core',
  windows_8_core: 'windows_8_core',
  windows_16_core: 'windows_16_core',
  windows_32_core: 'windows_32_core',
  windows_64_core: 'windows_64_core',
  windows_96_core: 'windows_96_core',
  windows_2_core_arm: 'windows_arm',
  windows_2_core_arm_advanced: 'windows_2_core_arm',
  windows_4_core_arm: 'windows_4_core_arm',
  windows_8_core_arm: 'windows_8_core_arm',
  windows_16_core_arm: 'windows_16_core_arm',
  windows_32_core_arm: 'windows_32_core_arm',
  windows_64_core_arm: 'windows_64_core_arm',
  windows_4_core_gpu: 'windows_4_core_gpu',
  macos_3_core: 'macos',
  macos_12_core: 'macos_l',
  macos_5_core_arm: 'macos_xl',
};

const known = new Set(Object.values(skus));

const otherNames: Record<string, string> = {
  macos_large: 'macos_l',
  macos_xlarge: 'macos_xl',
  beta_macos_xl_runner: 'macos_xl',
};

export function skuOfBill(sku: string): string {
  if (/(^|_)self_hosted(_|$)/.test(sku)) return 'self_hosted';
  // GitHub also writes our names of kinds. `linux_2_core_arm` is one of its own SKUs, of another kind.
  return known.has(sku) ? sku : (otherNames[sku] ?? skuOfKind(sku));
}

export function skuOfKind(kind: string): string {
  return skus[kind] ?? kind;
}

export function systemOfSku(sku: string): string | null {
  return known.has(sku) ? sku.slice(0, /_|$/.exec(sku)!.index) : null;
}

const standard = new Set(['linux_slim', 'linux', 'linux_arm', 'windows', 'windows_arm', 'macos']);

/** Standard runners are free in public repositories and use included minutes. Larger ones never do. */
export function isStandardSku(sku: string): boolean {
  return standard.has(sku);
}

type Named = { product: string; sku: string; unit: string };

/** What a line of the bill is for. Only compute is compared. */
export function billedProduct({ product, sku, unit }: Named): Product {
  const names = `${product} ${sku}`;
  if (product === 'actions' && unit === 'minutes') return 'compute';
  if (product.includes('sandbox')) return 'sandbox';
  if (/ai_credit/.test(names)) return 'ai_credits';
  if (/(^|[ _])lfs/.test(names)) return 'lfs';
  if (product.includes('marketplace')) return 'third_party';
  return product === 'packages' || names.includes('storage') ? 'storage' : 'other';
}

/** Which allowance of the plan the line uses. Caches, custom images and transfer use none. */
export function allowedProductOf(line: Named): AllowedProduct | null {
  const { product, sku, unit } = line;
  if (product === 'actions' && sku === 'storage' && isKept(unit)) return 'artifacts';
  if (product === 'packages' && isKept(unit)) return 'packages';
  return billedProduct(line) === 'ai_credits' && isCredits(unit) ? 'ai_credits' : null;
}

const isKept = (unit: string): boolean => gigabyteHours({ unit, quantityNanos: 0n }) !== null;
const isCredits = (unit: string): boolean => /^ai_?credits$/.test(unit);

/** Null if the line is not of an amount that was kept for some time. */
export function gigabyteHours({
  unit,
  quantityNanos,
}: {
  unit: string;
  quantityNanos: bigint;
}): bigint | null {
  if (isGigabyteHours(unit)) return quantityNanos;
  return /^(gb|gigabyte)_days?$/.test(unit) ? 24n * quantityNanos : null;
}

/** Earlier imports have no underscore. */
function isGigabyteHours(unit: string): boolean {
  return unit === 'gigabyte_hours' || unit === 'gigabytehours';
}

/**
 * The list price of a unit, if we know it, as reports had it in November 2026: for artifacts $0.25 a GB-month of 744 hours,
 * and a cent for an AI credit.
 */
export function knownPriceNanos({ product, sku, unit }: Named): bigint | null {
  if (product === 'actions' && sku === 'storage' && isGigabyteHours(unit)) return 336_021n;
  return isCredits(unit) ? 10_000_000n : null;
}
