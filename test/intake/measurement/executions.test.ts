import { expect, test } from 'vitest'
import { Executions, MOST_ROWS } from '../../../src/intake/measurement/executions.ts'

test('rows are in the order of their cell, then of their minute', () => {
  const executions = new Executions()
  for (const [minute, cell] of [
    [70_000, 2],
    [3, 300],
    [65_536, 2],
    [2, 2],
    [1, 300],
  ] as const) {
    executions.add(minute, cell, 0, [])
  }
  expect([...executions.order()]).toEqual([3, 2, 0, 4, 1])
})

test('a metric that comes later was 0 before, and one that is left out is 0', () => {
  const executions = new Executions()
  executions.add(1, 0, 0, [['a', 7]])
  executions.add(1, 0, 1, [['b', 9]])
  expect(executions.metrics).toEqual(['a', 'b'])
  expect([0, 1].map(executions.bins('a'))).toEqual([7, 0])
  expect([0, 1].map(executions.bins('b'))).toEqual([0, 9])
  expect([executions.cell(1), executions.variant(1)]).toEqual([0, 1])
})

test('metrics without end are refused', () => {
  const executions = new Executions()
  const add = () => {
    for (let i = 0; i < 2000; i += 1) executions.add(1, 0, 0, [[`event${i}`, 1]])
  }
  expect(add).toThrow('more than 1,200 metrics')
  expect(executions.metrics.length).toBe(1200)
})

test('rows that take more than the bound are refused before their memory is taken', () => {
  const executions = new Executions()
  const metrics = Array.from({ length: 1200 }, (_, index) => [`event${index}`, 1] as const)
  const add = () => {
    for (let i = 0; i < 300_000; i += 1) executions.add(1, 0, 0, i % 65_536 === 0 ? metrics : [])
  }
  expect(add).toThrow('196,608 executions with 1,200 metrics and more take more than 512 MB')
})

test('one row more than 8 million is refused', () => {
  const executions = new Executions()
  for (let row = 0; row < MOST_ROWS; row += 1) {
    executions.open(1, 0, 0)
    executions.close()
  }
  expect(executions.rows).toBe(8_000_000)
  expect(() => executions.open(1, 0, 0)).toThrow('more than 8,000,000 executions')
})
