// A table of orders, the same at every start: columns of numbers.

const ROWS = 150000

export function ordersTable() {
  const random = seededNumbers(7)
  const column = (make) => Float64Array.from({ length: ROWS }, make)
  return {
    rows: ROWS,
    id: column((_, row) => row),
    shop: column(() => Math.floor(random() * 300)),
    item: column(() => Math.floor(random() * 2000)),
    customer: column(() => Math.floor(random() * 20000)),
    price: column(() => Math.floor(random() * 5000)),
  }
}

function seededNumbers(seed) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 2147483648
  }
}
