/** `part / whole` in lowest terms; `whole` is above 0. */
export type Fraction = { part: bigint; whole: bigint };

export function fraction(part: bigint, whole = 1n): Fraction {
  const divisor = greatestDivisor(part < 0n ? -part : part, whole);
  return { part: part / divisor, whole: whole / divisor };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}

export function added(a: Fraction, b: Fraction): Fraction {
  return fraction(a.part * b.whole + b.part * a.whole, a.whole * b.whole);
}

export function subtracted(a: Fraction, b: Fraction): Fraction {
  return added(a, { part: -b.part, whole: b.whole });
}

export function isAtLeast(a: Fraction, b: Fraction): boolean {
  return a.part * b.whole >= b.part * a.whole;
}

/** `a` and `b` must be above 0. */
export function divided(a: Fraction, b: Fraction): Fraction {
  return fraction(a.part * b.whole, a.whole * b.part);
}

export function numberOf({ part, whole }: Fraction): number {
  return Number(part) / Number(whole);
}
