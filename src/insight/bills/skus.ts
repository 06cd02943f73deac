/** Reports write names with spaces, hyphens or underscores, in any case. */
export function normalizeName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
}

export function normalizeSku(text: string): string {
  const name = normalizeName(text);
  const bare = name.replace(/^actions_/, '').replace(/^compute_ubuntu/, 'compute_linux');
  return bare.replace(/^compute_(?=linux|windows|macos)/, '') || name;
}

/** https://docs.github.com/en/billing/reference/product-and-sku-names */
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

const otherNames: Record<string, string> = {
  macos_12_core: 'macos_l',
  macos_large: 'macos_l',
  macos_xlarge: 'macos_xl',
  beta_macos_xl_runner: 'macos_xl',
};

export function skuOfBill(sku: string): string {
  if (/(^|_)self_hosted(_|$)/.test(sku)) return 'self_hosted';
  return otherNames[sku] ?? sku;
}

export function skuOfKind(kind: string): string {
  return skus[kind] ?? kind;
}

const known = new Set(Object.values(skus));

export function systemOfSku(sku: string): string | null {
  return known.has(sku) ? sku.slice(0, /_|$/.exec(sku)!.index) : null;
}

const standard = new Set(['linux_slim', 'linux', 'linux_arm', 'windows', 'windows_arm', 'macos']);

/** Standard runners are free in public repositories and use included minutes. Larger ones never do. */
export function isStandardSku(sku: string): boolean {
  return standard.has(sku);
}
