/** Text from outside, made fit for XML and HTML. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * A line of text without characters that have no shape, that XML forbids or that turn the direction of what follows.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/gu, '\u{fffd}')
}

/** Visible text, escaped for the content and the attributes of XML. */
export function xmlText(text: string): string {
  return visibleText(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
}
