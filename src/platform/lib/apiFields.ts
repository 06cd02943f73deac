import { getOrCreate } from './lists.ts';
import { usd, type DecimalNumber } from './money.ts';

type Snake<Name extends string, Done extends string = ''> = Name extends `${infer First}${infer Rest}`
  ? Snake<Rest, First extends Lowercase<First> ? `${Done}${First}` : `${Done}_${Lowercase<First>}`>
  : Done;
type Value<Whole, Big> = Whole extends bigint ? Big : Whole;

export type ApiFields<T> = {
  [Name in keyof T & string as Name extends `${infer Amount}Nanos` ? Snake<Amount> : Snake<Name>]: Value<
    T[Name],
    Name extends `${string}Nanos` ? DecimalNumber : number
  >;
};

const names = new Map<string, { name: string; isAmount: boolean }>();

function apiName(ours: string) {
  const isAmount = ours.endsWith('Nanos');
  const base = isAmount ? ours.slice(0, -'Nanos'.length) : ours;
  return { name: base.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), isAmount };
}

/**
 * Fields as the API names them: `createdAt` is `created_at`, and `costNanos` is `cost` in US dollars. Other values stay as
 * they are, but for bigints, which become numbers.
 */
export function apiFields<T extends object>(ours: T): ApiFields<T> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(ours)) {
    const { name, isAmount } = getOrCreate(names, key, () => apiName(key));
    fields[name] = typeof value === 'bigint' ? (isAmount ? usd(value) : Number(value)) : value;
  }
  return fields as ApiFields<T>;
}

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type OurFields<T> = { [Name in keyof T as Name extends string ? Camel<Name> : never]: T[Name] };

/** The other way, for what callers send: `time_zone` is `timeZone`. Leaves out what is undefined. */
export function ourFields<T extends object>(given: T): OurFields<T> {
  const fields = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]);
  return Object.fromEntries(fields) as OurFields<T>;
}
