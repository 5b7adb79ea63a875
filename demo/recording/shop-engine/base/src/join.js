const SLOTS = 1 << 20

export function joinOnOneKey(left, right) {
  const slots = buildHashTable(right, hashSingleKey)
  return probeHashTable(left, right, slots, hashSingleKey, (a, b) => left[0][a] === right[0][b])
}

export function joinOnTwoKeys(left, right) {
  const slots = buildHashTable(right, hashCompositeKey)
  const isEqual = (a, b) => left[0][a] === right[0][b] && left[1][a] === right[1][b]
  return probeHashTable(left, right, slots, hashCompositeKey, isEqual)
}

function hashSingleKey(columns, row) {
  return Math.imul(columns[0][row], 0x9e3779b1) >>> 12
}

function hashCompositeKey(columns, row) {
  const mixed = Math.imul(columns[0][row], 0x9e3779b1) ^ Math.imul(columns[1][row], 0x85ebca6b)
  return mixed >>> 12
}

function buildHashTable(columns, hashKey) {
  const slots = new Int32Array(SLOTS)
  for (let row = 0; row < columns[0].length; row += 1) {
    let slot = hashKey(columns, row)
    while (slots[slot] !== 0) slot = (slot + 1) % SLOTS
    slots[slot] = row + 1
  }
  return slots
}

function probeHashTable(left, right, slots, hashKey, isEqual) {
  let found = 0
  for (let row = 0; row < left[0].length; row += 1) {
    for (let slot = hashKey(left, row); slots[slot] !== 0; slot = (slot + 1) % SLOTS) {
      if (isEqual(row, slots[slot] - 1)) found += 1
    }
  }
  return found
}
