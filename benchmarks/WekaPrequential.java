import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import weka.classifiers.bayes.NaiveBayesUpdateable;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instances;

/**
 * Weka's updateable naive Bayes with kernel estimators over a file of examples: each is scored, then learned.
 *
 * <p>Arguments: the file (big-endian doubles, row by row, the label 0 or 1 last, NaN is missing), examples, features,
 * and from which example on time is taken. Prints the median of blocks of 500 examples of the nanoseconds per example that
 * this thread had the processor: neither the collector nor the compiler counts.
 */
public final class WekaPrequential {
  private static final int BLOCK = 500;

  public static void main(String[] arguments) throws Exception {
    int n = Integer.parseInt(arguments[1]);
    int features = Integer.parseInt(arguments[2]);
    int from = Integer.parseInt(arguments[3]);
    ArrayList<Attribute> attributes = new ArrayList<>();
    for (int i = 0; i < features; i++) {
      attributes.add(new Attribute("f" + i));
    }
    attributes.add(new Attribute("label", List.of("0", "1")));
    Instances header = new Instances("stream", attributes, 0);
    header.setClassIndex(features);
    DenseInstance[] rows = new DenseInstance[n];
    try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(arguments[0]), 1 << 20))) {
      for (int row = 0; row < n; row++) {
        double[] values = new double[features + 1];
        for (int i = 0; i <= features; i++) {
          values[i] = in.readDouble();
        }
        rows[row] = new DenseInstance(1.0, values);
        rows[row].setDataset(header);
      }
    }
    NaiveBayesUpdateable learner = new NaiveBayesUpdateable();
    learner.setUseKernelEstimator(true);
    learner.buildClassifier(header);
    List<Double> blocks = new ArrayList<>();
    double checksum = 0.0;
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    long began = clock.getCurrentThreadCpuTime();
    for (int row = 0; row < n; row++) {
      checksum += learner.distributionForInstance(rows[row])[1];
      learner.updateClassifier(rows[row]);
      if ((row + 1) % BLOCK == 0) {
        long now = clock.getCurrentThreadCpuTime();
        if (row >= from) {
          blocks.add((now - began) / (double) BLOCK);
        }
        began = now;
      }
    }
    blocks.sort(null);
    System.out.println(blocks.get(blocks.size() / 2) + " " + checksum);
  }
}
