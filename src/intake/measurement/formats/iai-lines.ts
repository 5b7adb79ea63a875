/** Lines by which the output of iai, iai-callgrind and gungraun is known, and read. */

/** `  Instructions:       1734|1734       (No change)`; iai has one number and begins with two spaces as well. */
export const LINE =
  /^ {1,4}(?:Instructions|Ir|Estimated Cycles|L1 (?:Accesses|Hits)):\s+(?:\d[\d,.]*|N\/A)(?:\|(?:\d[\d,.]*|N\/A))?/m

/** A count: the name of the metric, the value, and the one of the run before. */
export const COUNT = /^ {1,4}([A-Z][\w+ %()/.-]{0,60}?):\s+(\d[\d,.]*|N\/A)(?:\|(\d[\d,.]*|N\/A))?(?:\s+\(.*)?\s*$/
