/** Classes and namespaces that half of all files have one of: they qualify nothing. */
const COMMON_QUALIFIERS: ReadonlySet<string> = new Set(
  'Impl impl detail details internal Base Helper Traits Data State Node Entry Iterator iterator const_iterator Builder Options Settings Context Visitor Matcher Reader Writer Factory Pool Handler Task Guard Lock Cache Params Config Key Value Item Element Map Set List Parser Lexer Token Buffer Stream Query Request Response Block Column Row Table Index Function Expression Connection Session Server Client Thread Value Object String Vector Array Queue Stack Tree Graph Hash Allocator Arena Logger Event Message Result Error std __1'.split(
    ' ',
  ),
)

/** Names of two words that are functions of many things all the same. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  'executeImpl executeQuery executeOnBlock applyImpl processImpl updateImpl insertData insertFrom serializeBinary deserializeBinary startElement toString_ get_value set_value push_back pop_back emplace_back push_front pop_front begin_read end_read read_some write_some main_loop to_string from_string read_all write_all run_loop run_impl do_work do_something nextImpl readImpl writeImpl getImpl setImpl __call__ __init__ __next__ __iter__ hashCode compareTo getOrDefault forEach'.split(
    ' ',
  ),
)

/** What comes with the compiler: nobody's pull request changes it, whatever its classes are called. */
const OF_COMPILER: ReadonlySet<string> = new Set('std __gnu_cxx __cxxabiv1'.split(' '))

/** A shorter name alone says too little: `hash_row` has 8. */
const SHORTEST_ALONE = 8

/**
 * Whether a function as a diff shows it is one that a profile names. Their parts, outermost first, are compared from the
 * right as far as both go. What is left with nothing to qualify it, or with a class that half of all files have, must be a
 * name that is not common: of two words and more, and in the profile with one part more at most, the namespace.
 *
 * Is: `Aggregator::executeImpl` and `DB::Aggregator::executeImpl`; `convertToFullIfNeeded` and `DB::convertToFullIfNeeded`;
 * `Set::insertFromBlock` and `DB::Set::insertFromBlock`. Is not: `execute` and `DB::Pipeline::execute`; `Impl::apply` and
 * `DB::FunctionPlus::Impl::apply`; `Set::insert` and `DB::Map::insert`; `Parser::parse` and `rapidjson::Parser::parse`;
 * `ReadBuffer::next` and `std::ReadBuffer::next`.
 */
export function isSameFunction(ofDiff: readonly string[], ofFrame: readonly string[]): boolean {
  const common = Math.min(ofDiff.length, ofFrame.length)
  if (common === 0) return false
  for (let back = 1; back <= common; back += 1) {
    if (ofDiff.at(-back) !== ofFrame.at(-back)) return false
  }
  const longer = ofFrame.length > ofDiff.length ? ofFrame : ofDiff
  if (longer.length > common && OF_COMPILER.has(longer[0]!)) return false
  const name = ofDiff.at(-1)!
  const shared = ofDiff.slice(-common)
  if (shared.slice(0, -1).some((part) => !COMMON_QUALIFIERS.has(part))) return true
  // nothing but the name tells; a diff mostly shows no namespace, which is one part more
  return Math.abs(ofDiff.length - ofFrame.length) <= 1 && isDistinct(name)
}

/** Whether the name alone, of whatever it is a function, is unlikely to be another one. */
function isDistinct(name: string): boolean {
  return name.length >= SHORTEST_ALONE && !COMMON_NAMES.has(name) && /[a-z0-9](?:_+[A-Za-z]|[A-Z])/.test(name)
}
