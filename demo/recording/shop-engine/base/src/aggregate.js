export function aggregateByKey(keys, values) {
  const groups = new Map()
  for (let row = 0; row < keys.length; row += 1) {
    const group = groups.get(keys[row])
    if (group === undefined) groups.set(keys[row], { count: 1, sum: values[row], largest: values[row] })
    else addToGroup(group, values[row])
  }
  return groups
}

function addToGroup(group, value) {
  group.count += 1
  group.sum += value
  if (value > group.largest) group.largest = value
}

export function filterRows(column, least) {
  const rows = []
  for (let row = 0; row < column.length; row += 1) if (column[row] >= least) rows.push(row)
  return rows
}
