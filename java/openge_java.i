// The C ABI as Java classes in org.openge.c: functions and constants are static members of GE, structs are classes.
//
//   C                                   Java
//   T * to a number or to void, T **    a direct java.nio buffer, or null; results and members read as an empty buffer at
//                                       that address: GE.view(buffer, bytes) looks at what is there
//   const char *                        String, in UTF-8
//   handles and structs                 classes; nothing is freed behind the program's back: delete(), Ge…Destroy
//
// A struct member set from a buffer holds its address only: the caller keeps the buffer.
%module GE
#define GE_RAW_MEMORY
%include "enumtypeunsafe.swg"
%javaconst(1);

// The package org.openge makes and reads these objects; a forgotten one is never freed by the garbage collector.
SWIG_JAVABODY_PROXY(public, public, SWIGTYPE)
SWIG_JAVABODY_TYPEWRAPPER(public, public, public, SWIGTYPE)
%typemap(javafinalize) SWIGTYPE ""

%pragma(java) jniclasscode=%{
  static {
    NativeLibrary.load();
  }
%}

%{
#include <stdint.h>

// The address of a direct buffer (null gives null); 0, with an exception, for a buffer on the Java heap.
static int ge_address(JNIEnv *env, jobject buffer, void **address) {
  *address = buffer ? (*env)->GetDirectBufferAddress(env, buffer) : NULL;
  if (buffer && !*address && (*env)->GetDirectBufferCapacity(env, buffer) != 0) {
    SWIG_JavaThrowException(env, SWIG_JavaIllegalArgumentException, "the buffer is not direct");
    return 0;
  }
  return 1;
}

// A zero-terminated copy of UTF-8 bytes; free() it.
static int ge_utf8(JNIEnv *env, jbyteArray bytes, char **text) {
  *text = NULL;
  if (!bytes) return 1;
  jsize length = (*env)->GetArrayLength(env, bytes);
  char *copy = (char *)malloc((size_t)length + 1);
  if (!copy) {
    SWIG_JavaThrowException(env, SWIG_JavaOutOfMemoryError, "no memory for a text");
    return 0;
  }
  (*env)->GetByteArrayRegion(env, bytes, 0, length, (jbyte *)copy);
  copy[length] = '\0';
  *text = copy;
  return 1;
}

static jbyteArray ge_bytes(JNIEnv *env, const char *text) {
  if (!text) return NULL;
  jsize length = (jsize)strlen(text);
  jbyteArray bytes = (*env)->NewByteArray(env, length);
  if (bytes) (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)text);
  return bytes;
}
%}

// int64_t is C's long here (swig runs with -DSWIGWORDSIZE64); numbers of 64 bits are Java's long, unsigned ones too.
%apply long long { long, unsigned long };

// ---- pointers to memory: direct buffers ----
%define GE_BUFFER(TYPE...)
%typemap(jni) TYPE "jobject"
%typemap(jtype) TYPE "java.nio.Buffer"
%typemap(jstype) TYPE "java.nio.Buffer"
%typemap(javain) TYPE "$javainput"
%typemap(javaout) TYPE { return $jnicall; }
%typemap(in) TYPE (void *address) {
  if (!ge_address(jenv, $input, &address)) return $null;
  $1 = ($1_ltype)address;
}
%typemap(out) TYPE "$result = $1 ? (*jenv)->NewDirectByteBuffer(jenv, (void *)$1, 0) : NULL;"
%typemap(freearg) TYPE ""
%enddef
GE_BUFFER(void *)
GE_BUFFER(bool *)
GE_BUFFER(int8_t *)
GE_BUFFER(uint8_t *)
GE_BUFFER(int16_t *)
GE_BUFFER(uint16_t *)
GE_BUFFER(int32_t *)
GE_BUFFER(uint32_t *)
GE_BUFFER(int64_t *)
GE_BUFFER(uint64_t *)
GE_BUFFER(size_t *)
GE_BUFFER(float *)
GE_BUFFER(double *)
GE_BUFFER(SWIGTYPE **)
GE_BUFFER(SWIGTYPE ***)
GE_BUFFER(SWIGTYPE *const *)
GE_BUFFER(char **)
GE_BUFFER(void **)
GE_BUFFER(void *const *)
GE_BUFFER(const char *const *)
GE_BUFFER(int64_t [ANY])
GE_BUFFER(uint64_t [ANY])

// ---- texts ----
%typemap(jni) char * "jbyteArray"
%typemap(jtype) char * "byte[]"
%typemap(jstype) char * "String"
%typemap(javain) char * "Utf8.bytes($javainput)"
%typemap(javaout) char * {
    return Utf8.text($jnicall);
  }
%typemap(in) char * (char *text) {
  if (!ge_utf8(jenv, $input, &text)) return $null;
  $1 = ($1_ltype)text;
}
%typemap(freearg) char * "free((void *)$1);"
%typemap(out) char * "$result = ge_bytes(jenv, $1);"

// A struct that was deleted: an exception instead of a fault.
%typemap(check) SWIGTYPE *self %{
  if (!$1) {
    SWIG_JavaThrowException(jenv, SWIG_JavaNullPointerException, "the struct was deleted or is null");
    return $null;
  }
%}

// ---- memory by address ----
%{
#define GE_JNI(result, name) JNIEXPORT result JNICALL Java_org_openge_c_GEJNI_##name
GE_JNI(jobject, viewAt)(JNIEnv *, jclass, jlong, jlong);
GE_JNI(jlong, address)(JNIEnv *, jclass, jobject);
GE_JNI(jbyteArray, textAt)(JNIEnv *, jclass, jlong);

GE_JNI(jobject, viewAt)(JNIEnv *env, jclass type, jlong address, jlong bytes) {
  (void)type;
  return address ? (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)address, bytes) : NULL;
}
GE_JNI(jlong, address)(JNIEnv *env, jclass type, jobject buffer) {
  void *address;
  (void)type;
  return ge_address(env, buffer, &address) ? (jlong)(uintptr_t)address : 0;
}
GE_JNI(jbyteArray, textAt)(JNIEnv *env, jclass type, jlong address) {
  (void)type;
  return ge_bytes(env, (const char *)(uintptr_t)address);
}
%}
%pragma(java) jniclasscode=%{
  static native java.nio.ByteBuffer viewAt(long address, long bytes);

  static native long address(java.nio.Buffer buffer);

  static native byte[] textAt(long address);
%}
%pragma(java) modulecode=%{
  /** Address of a direct buffer's first byte; 0 for null. */
  public static long address(java.nio.Buffer buffer) {
    return GEJNI.address(buffer);
  }

  /** `bytes` bytes at an address, in this machine's byte order; null for 0. */
  public static java.nio.ByteBuffer viewAt(long address, long bytes) {
    java.nio.ByteBuffer view = GEJNI.viewAt(address, bytes);
    return view == null ? null : view.order(java.nio.ByteOrder.nativeOrder());
  }

  /** `bytes` bytes at the address of a buffer, whatever its own size; null for null. */
  public static java.nio.ByteBuffer view(java.nio.Buffer at, long bytes) {
    return viewAt(GEJNI.address(at), bytes);
  }

  /** The zero-terminated text at an address; null for 0. */
  public static String textAt(long address) {
    return Utf8.text(GEJNI.textAt(address));
  }
%}
// Text members from memory that the caller keeps; setting the member itself copies, and the copy stays for ever.
%extend GeAttrData {
  void setNameText(const uint8_t *utf8) { $self->name = (const char *)utf8; }
  void setText(const uint8_t *utf8) { $self->s = (const char *)utf8; }
}

%include "openge.i"
