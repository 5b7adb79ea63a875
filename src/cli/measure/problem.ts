/** Nothing can be measured: the sides, a build or the folder is why. The message is one line for a person. */
export class MeasureProblem extends Error {
  override readonly name = 'MeasureProblem'
}
