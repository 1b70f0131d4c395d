package org.openge.c;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Finds libopenge_java.so: in the folder that the system property {@code openge.library.path} names, in the library folder
 * that belongs to this jar, then in {@code java.library.path}.
 */
final class NativeLibrary {
  private static final String NAME = "openge_java";

  private NativeLibrary() {}

  static void load() {
    String file = System.mapLibraryName(NAME);
    String given = System.getProperty("openge.library.path");
    if (given != null) {
      System.load(Paths.get(given, file).toAbsolutePath().toString());
      return;
    }
    List<Path> asked = new ArrayList<>();
    for (Path folder : besideJar()) {
      Path path = folder.resolve(file).normalize();
      if (Files.isRegularFile(path)) {
        System.load(path.toString());
        return;
      }
      asked.add(path);
    }
    try {
      System.loadLibrary(NAME);
    } catch (UnsatisfiedLinkError e) {
      String message = file + " is neither at " + asked + " nor in java.library.path; -Dopenge.library.path=FOLDER says where";
      UnsatisfiedLinkError error = new UnsatisfiedLinkError(message);
      error.initCause(e);
      throw error;
    }
  }

  /** Folders relative to the jar, as the build wrote them into layout.properties. */
  private static List<Path> besideJar() {
    List<Path> folders = new ArrayList<>();
    CodeSource source = NativeLibrary.class.getProtectionDomain().getCodeSource();
    try (InputStream in = NativeLibrary.class.getResourceAsStream("layout.properties")) {
      if (source == null || in == null) {
        return folders;
      }
      Properties layout = new Properties();
      layout.load(in);
      Path jar = Paths.get(source.getLocation().toURI()).toRealPath();
      for (String folder : layout.getProperty("folders", "").split(":")) {
        folders.add(jar.getParent().resolve(folder));
      }
    } catch (IOException | URISyntaxException e) {
      return folders; // java.library.path remains
    }
    return folders;
  }
}
