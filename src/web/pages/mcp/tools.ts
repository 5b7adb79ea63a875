import { explain } from './explain.ts'
import { openRows } from './open-rows.ts'
import { isFailureKnown, queue } from './queue-tools.ts'
import { samples, whereTimeWent } from './row-tools.ts'
import type { Tool } from './tool.ts'
import { whatToRun } from './what-to-run.ts'
import { stepWindow } from './windows.ts'

/** What a program may ask. Each of them only reads. */
export const TOOLS: readonly Tool[] = [
  openRows,
  explain,
  samples,
  whereTimeWent,
  isFailureKnown,
  stepWindow,
  queue,
  whatToRun,
]
