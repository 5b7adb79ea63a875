export function sortRowNumbers(column) {
  const rows = Array.from(column.keys())
  rows.sort((a, b) => compareRows(column, a, b))
  return rows
}

function compareRows(column, a, b) {
  return column[b] - column[a]
}

export function largestRows(column, limit) {
  const rows = []
  for (let row = 0; row < column.length; row += 1) {
    if (rows.length === limit && column[row] <= column[rows[limit - 1]]) continue
    insertSorted(column, rows, row)
    if (rows.length > limit) rows.pop()
  }
  return rows
}

function insertSorted(column, rows, row) {
  let at = rows.length
  while (at > 0 && column[rows[at - 1]] < column[row]) at -= 1
  rows.splice(at, 0, row)
}
