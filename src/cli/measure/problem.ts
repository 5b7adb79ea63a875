/** A reason why nothing can be measured: the sides, a build or the folder. The message is one line for a person. */
export class MeasureProblem extends Error {
  override readonly name = 'MeasureProblem'
}
