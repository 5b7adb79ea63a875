import { aggregateByKey, filterRows } from './aggregate.js'
import { joinOnOneKey, joinOnTwoKeys } from './join.js'
import { largestRows, sortRowNumbers } from './sort.js'

const part = (column, rows) => column.subarray(0, rows)

// Tests with their queries: a text, and what answers it.
export const tests = {
  orders_join: [
    ['SELECT count() FROM orders AS a JOIN orders AS b USING (id)', (t) => joinOnOneKey([t.id], [t.id])],
    ['SELECT count() FROM orders AS a JOIN recent AS b USING (id)', (t) => joinOnOneKey([t.id], [part(t.id, 75000)])],
    [
      'SELECT count() FROM orders AS a JOIN recent AS b USING (shop, item)',
      (t) => joinOnTwoKeys([t.shop, t.item], [part(t.shop, 75000), part(t.item, 75000)]),
    ],
  ],
  orders_group_by: [
    ['SELECT shop, count(), sum(price), max(price) FROM orders GROUP BY shop', (t) => aggregateByKey(t.shop, t.price).size],
    ['SELECT item, count(), sum(price), max(price) FROM orders GROUP BY item', (t) => aggregateByKey(t.item, t.price).size],
    ['SELECT customer, sum(price) FROM orders GROUP BY customer', (t) => aggregateByKey(t.customer, t.price).size],
    ['SELECT count() FROM orders WHERE price >= 2500', (t) => filterRows(t.price, 2500).length],
  ],
  orders_sort: [
    ['SELECT id FROM orders ORDER BY price DESC', (t) => sortRowNumbers(t.price)[0]],
    ['SELECT id FROM orders ORDER BY customer DESC', (t) => sortRowNumbers(t.customer)[0]],
    ['SELECT id FROM orders ORDER BY price DESC LIMIT 100', (t) => largestRows(t.price, 100)[0]],
  ],
}
