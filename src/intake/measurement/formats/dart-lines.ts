/** `Template(RunTime): 0.1568472448997197 us.` */
export const LINE =
  /^(\S.*?)\((RunTime|[A-Z]\w*)\): (\d+(?:\.\d+)?(?:e[+-]?\d+)?) ([A-Za-zµμ]{1,12}(?:\/[a-z]+)?)\.?\s*$/m
