/** `0x…` for every hexadecimal number, written as `difffolded.pl -s` does: addresses differ between any two processes. */
export function stripHex(stack: string): string {
  return stack.includes('0x') ? stack.replaceAll(/0x[0-9a-fA-F]+/g, '0x...') : stack
}
