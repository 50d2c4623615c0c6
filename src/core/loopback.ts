/** Names of this machine that no other can be reached by: what is said to them stays here. */
export function isLoopbackName(host: string): boolean {
  return /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i.test(host);
}
