package aa;

import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Tiny {
    int[] numbers;
    String text;
    byte[] bytes;
    Map<Integer, String> hashed;
    TreeMap<Integer, String> sorted;
    List<Integer> boxed;
    double[] doubles;

    @Setup
    public void setUp() {
        Random random = new Random(1);
        numbers = random.ints(1000).toArray();
        StringBuilder builder = new StringBuilder();
        for (int n : numbers) builder.append(n).append(',');
        text = builder.toString();
        bytes = text.getBytes(StandardCharsets.UTF_8);
        hashed = new HashMap<>();
        sorted = new TreeMap<>();
        boxed = new LinkedList<>();
        for (int n : numbers) { hashed.put(n, "v" + n); sorted.put(n, "v" + n); boxed.add(n); }
        doubles = random.doubles(1000).toArray();
    }

    @Benchmark public int[] sort() { int[] copy = numbers.clone(); Arrays.sort(copy); return copy; }
    @Benchmark public int streamSum() { return IntStream.of(numbers).filter(n -> n % 3 == 0).sum(); }
    @Benchmark public String[] split() { return text.split(","); }
    @Benchmark public String build() { StringBuilder b = new StringBuilder(); for (int n : numbers) b.append(n); return b.toString(); }
    @Benchmark public int hashGet() { int found = 0; for (int n : numbers) found += hashed.get(n).length(); return found; }
    @Benchmark public int treeGet() { int found = 0; for (int n : numbers) found += sorted.get(n).length(); return found; }
    @Benchmark public long linked() { long sum = 0; for (int n : boxed) sum += n; return sum; }
    @Benchmark public long crc() { CRC32 crc = new CRC32(); crc.update(bytes); return crc.getValue(); }
    @Benchmark public double sqrt() { double sum = 0; for (double d : doubles) sum += Math.sqrt(d) + Math.sin(d); return sum; }
    @Benchmark public Map<Integer, Integer> countDigits() { Map<Integer, Integer> m = new HashMap<>(); for (byte b : bytes) m.merge((int) b, 1, Integer::sum); return m; }
}
