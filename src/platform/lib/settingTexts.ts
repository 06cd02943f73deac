import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { plans, type Plan } from './actor.ts';
import { minRetentionDays } from './days.ts';
import { isEmail } from './text.ts';

export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

export function wholeNumber(text: string, largest: number): number | null {
  return /^\d{1,10}$/.test(text) && Number(text) <= largest ? Number(text) : null;
}

/** A plan without an entry has no limit. */
export type DaysByPlan = Readonly<Partial<Record<Plan, number>>>;

/** Reads `400`, for every plan, or `free=90,pro=400`. */
export function daysByPlan(text: string): DaysByPlan | null {
  const parts = /^\d+$/.test(text) ? plans.map((plan) => `${plan}=${text}`) : text.split(',');
  const limits: Partial<Record<Plan, number>> = {};
  for (const part of parts) {
    const [name, number = '', ...more] = part.trim().split('=');
    const plan = plans.find((each) => each === name);
    const days = wholeNumber(number, 36_500);
    if (!plan || limits[plan] !== undefined || more.length > 0) return null;
    if (days === null || days < minRetentionDays) return null;
    limits[plan] = days;
  }
  return limits;
}

export function oneToken(text: string): string | null {
  return /^[\x21-\x7e]{1,1000}$/.test(text) ? text : null;
}

export function webAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  if (url.username || url.password || url.search || url.hash) return null;
  return text.replace(/\/+$/, '');
}

/** Returns origins as browsers send them: in lower case and without the scheme's default port. */
export function webOrigins(text: string): string[] | null {
  const origins = text.split(',').map((part) => {
    const url = URL.parse(webAddress(part.trim()) ?? '');
    return url?.pathname === '/' && !url.host.includes('*') ? url.origin : null;
  });
  return origins.every((origin) => origin !== null) ? origins : null;
}

export function mailAddress(text: string): string | null {
  const url = URL.parse(text);
  return url && /^smtps?:$/.test(url.protocol) && url.hostname ? text : null;
}

export function senderAddress(text: string): string | null {
  const address = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(text)?.[1] ?? text;
  return isEmail(address) ? text : null;
}

export function cidrs(text: string): Cidr[] | null {
  try {
    return text.split(',').map((range) => {
      // The library would read 10/8 as 0.0.0.10/8.
      if (!isIP(range.trim().split('/')[0]!)) throw new RangeError(range);
      return ipaddr.parseCIDR(range.trim());
    });
  } catch {
    return null;
  }
}

/** Refuses a range of all addresses, because then anybody could claim any address. */
export function proxyRanges(text: string): string[] | null {
  const ranges = text.split(',').map((range) => range.trim());
  const isGood = (range: string) => isIP(range) || cidrs(range)?.every(([, prefix]) => prefix > 0);
  return ranges.every(isGood) ? ranges : null;
}

export function onOrOff(text: string): boolean | null {
  const word = text.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : null;
}

export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'))
  );
}

export function keys(text: string): Buffer[] | null {
  const all = text.split(',').map((part) => key(part.trim()));
  return all.every((one) => one !== null) ? all : null;
}

function key(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
}
