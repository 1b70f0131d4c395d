// Builds y = relu(x * 2 - 3) with the functional builder, compiles it and runs it.
import org.openge.DataType;
import org.openge.Graph;
import org.openge.GraphBuilder;
import org.openge.Model;
import org.openge.Tensor;
import org.openge.TensorHolder;

public final class BuildAGraph {
  public static void main(String[] args) {
    try (GraphBuilder b = new GraphBuilder("affine")) {
      TensorHolder x = b.input("x", DataType.FLOAT, 4);
      TensorHolder y = b.op("Relu", b.op("Sub", b.op("Mul", x, b.constant(2f)), b.constant(3f)));
      try (Graph graph = b.build(y);
          Model model = graph.compile()) {
        Tensor result = model.run(Tensor.of(new float[] {0, 1, 2, 3})).get(0);
        StringBuilder line = new StringBuilder();
        for (float value : result.toFloats()) {
          line.append((int) value).append(' ');
        }
        System.out.println(line.toString().trim());
      }
    }
  }
}
