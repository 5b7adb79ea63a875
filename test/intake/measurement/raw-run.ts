/** A run of one test with the given times in milliseconds, in ClickHouse's raw format. */
export function rawRun(
  test: string,
  queries: readonly { readonly old: readonly number[]; readonly new: readonly number[] }[],
): string {
  const lines = queries.flatMap(({ old, new: fresh }, index) => [
    `display-name\t${index}\tSELECT ${index} FROM ${test}`,
    ...old.map((value, run) => `query\t${index}\t${test}.query${index}.run${run}\t0\t${value / 1000}`),
    ...fresh.map((value, run) => `query\t${index}\t${test}.query${index}.run${run}\t1\t${value / 1000}`),
  ])
  return `${lines.join('\n')}\n`
}

export const STEADY = [100, 101, 102, 103, 104, 105, 106]
export const SLOWER = [120, 121, 122, 123, 124, 125, 126]
