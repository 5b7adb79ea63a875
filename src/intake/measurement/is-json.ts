/** Whether a line is a whole document: one that was cut is none. */
export function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** Whether a text begins as JSON does and is neither a document nor lines of them. */
export function isBrokenJson(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return /^\s*(?:\{\s*["}]|\[\s*[[{"\d\]])/.test(text) && !isJson(text) && !lines.every(isJson)
}
