/** Whether a service on the internet could reach an address, judged by its host alone. */
export function isPublicAddress(address: string): boolean {
  const { hostname } = new URL(address);
  const isLocal =
    /^(localhost|0\.|127\.|10\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[)|\.(local|internal|localhost|lan)$/;
  return hostname.includes('.') && !isLocal.test(hostname);
}
