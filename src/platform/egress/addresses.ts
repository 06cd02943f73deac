import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../config.ts';

export type EgressPolicy = Config['egress'];
type Address = ReturnType<typeof ipaddr.parse>;

/** IPv6 ranges that contain IPv4 addresses, and the byte where these start. */
const ipv4Carriers = [
  { range: ipaddr.parseCIDR('::ffff:0:0/96'), firstByte: 12 }, // mapped, RFC 4291
  { range: ipaddr.parseCIDR('::ffff:0:0:0/96'), firstByte: 12 }, // translated, RFC 2765
  { range: ipaddr.parseCIDR('64:ff9b::/96'), firstByte: 12 }, // NAT64, RFC 6052
  { range: ipaddr.parseCIDR('2002::/16'), firstByte: 2 }, // 6to4, RFC 3056
];

/** Where clouds serve a machine's credentials. Some of these addresses count as public. */
const metadataRanges = [
  '169.254.0.0/16', // nearly all clouds: 169.254.169.254, 169.254.170.2, …
  'fe80::/10', // OpenStack: fe80::a9fe:a9fe
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google Cloud
  'fd00:42::42/128', // Scaleway
  '100.100.100.200/32', // Alibaba Cloud
  '168.63.129.16/32', // Azure
  '192.0.0.192/32', // Oracle Cloud
].map((range) => ipaddr.parseCIDR(range));

/** Their names. Some point to a public address, and a name can point to the next machine's tomorrow. */
const metadataNames = new Set([
  // https://cloud.google.com/compute/docs/metadata/querying-metadata; machines find the short one, too.
  'metadata.google.internal',
  'metadata.goog',
  'metadata',
  // AWS's resolver has them beside the address: https://docs.aws.amazon.com/vpc/latest/userguide/AmazonDNS-concepts.html
  'instance-data.ec2.internal',
  'instance-data',
  // Azure documents the address only; others block this name as well.
  'metadata.azure.internal',
  'api.metadata.cloud.ibm.com', // https://cloud.ibm.com/apidocs/vpc-metadata
  'metadata.tencentyun.com', // https://www.tencentcloud.com/document/product/213/4934
  'metadata.platformequinix.com', // https://deploy.equinix.com/developers/docs/metal/server-metadata/metadata/
  'metadata.packet.net', // the same, earlier
  'metadata.exoscale.com', // https://community.exoscale.com/product/compute/instances/how-to/user-data/
  'rancher-metadata', // https://ranchermanager.docs.rancher.com, 1.6
]);

/** All public IPv6 addresses allocated so far. */
const publicIpv6 = ipaddr.parseCIDR('2000::/3');

/** Why we must not call this IP address, as a sentence without its period; null if we may. */
export function refusalOf(text: string, policy: EgressPolicy): string | null {
  const address = read(text);
  if (!address) return `${text} is not an IP address`;
  if (isIn(metadataRanges, address)) return `${text} serves cloud credentials and is never called`;
  const isAllowed =
    isPublic(address) ||
    (policy.allowLoopback && address.range() === 'loopback') ||
    isIn(policy.allowedCidrs, address);
  return isAllowed ? null : `${text} is not a public address (EGRESS_ALLOWED_CIDRS can allow it)`;
}

export function isLoopback(text: string): boolean {
  return read(text)?.range() === 'loopback';
}

function read(text: string): Address | null {
  // ipaddr.js also reads `1.2.3` and `010.0.0.1`, which programs understand differently.
  if (!isIP(text) || !ipaddr.isValid(text)) return null;
  const address = ipaddr.parse(text);
  const carrier = ipv4Carriers.find(({ range }) => isIn([range], address));
  if (!carrier) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(carrier.firstByte, carrier.firstByte + 4));
}

function isPublic(address: Address): boolean {
  // ipaddr.js returns `unicast` for everything that it has no other name for, such as `::127.0.0.1`.
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn([publicIpv6], address));
}

function isIn(ranges: EgressPolicy['allowedCidrs'], address: Address): boolean {
  return ranges.some((range) => range[0].kind() === address.kind() && address.match(range));
}

/** In words that follow the field's name. Does not resolve names: each call checks the address. */
export function checkUrl(text: string, policy: EgressPolicy): string | null {
  const url = URL.parse(text);
  return url
    ? (formFault(url, policy) ?? hostFault(url, policy))
    : 'must be a URL such as https://example.com/hook';
}

export function formFault(url: URL, policy: EgressPolicy): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.username || url.password) return 'must not contain a user name or a password';
  if (url.port === '0') return 'must not use port 0';
  if (isMetadataName(hostOf(url)))
    return `must not point there: ${hostOf(url)} serves cloud credentials and is never called`;
  const mayUseHttp = policy.allowHttp || (policy.allowLoopback && isThisMachine(hostOf(url)));
  if (url.protocol === 'http:' && !mayUseHttp) {
    return 'must start with https:// (EGRESS_ALLOW_HTTP can allow http://)';
  }
  return null;
}

function hostFault(url: URL, policy: EgressPolicy): string | null {
  const host = hostOf(url);
  const address = isThisMachine(host) && !isIP(host) ? '127.0.0.1' : host;
  const refusal = isIP(address) ? refusalOf(address, policy) : null;
  return refusal && `must not point there: ${refusal}`;
}

function isMetadataName(host: string): boolean {
  return metadataNames.has(host) || /^instance-data\.[\w-]+\.compute\.internal$/.test(host);
}

/** The host as a resolver expects it: IPv6 without brackets, a name without trailing dots. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '');
}

export function isThisMachine(host: string): boolean {
  return /(^|\.)localhost(\.localdomain)?$/.test(host) || isLoopback(host);
}
