// Option names, run modes and the small structs of the session interface.
#ifndef INC_GE_COMMON_GE_COMMON_API_TYPES_H_
#define INC_GE_COMMON_GE_COMMON_API_TYPES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge_common/ge_api_error_codes.h"
#include "ge_common/ge_ir_options.h"
#include "graph/ascend_string.h"
#include "graph/detail/language.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace gert {
class Tensor;
}

namespace ge {

enum GraphRunMode : int32_t { PREDICTION = 0, TRAIN = 1 };
enum class MemoryType : int64_t { MEMORY_TYPE_DEFAULT = 0, MEMORY_TYPE_P2P = 1 };

struct InputTensorInfo {
  uint32_t data_type;
  std::vector<int64_t> dims;
  void *data;
  int64_t length;
};
struct OutputTensorInfo {
  uint32_t data_type{};
  std::vector<int64_t> dims;
  std::unique_ptr<uint8_t[]> data;
  int64_t length{};
};
struct ModelDistibuteDesc {
  uint32_t logic_device_number;
};
using RunAsyncCallback = std::function<void(Status, std::vector<ge::Tensor> &)>;
using RunAsyncCallbackV2 = std::function<void(Status, std::vector<gert::Tensor> &)>;

constexpr char_t OPTION_GRAPH_RUN_MODE[] = "ge.graphRunMode";
constexpr char_t OPTION_DEVICE_TYPE[] = "ge.deviceType";
constexpr char_t OPTION_EXEC_SESSION_ID[] = "ge.exec.sessionId";
constexpr char_t OPTION_EXEC_DEVICE_ID[] = "ge.exec.deviceId";
constexpr char_t OPTION_EXEC_JOB_ID[] = "ge.exec.jobId";
constexpr char_t OPTION_EXEC_IS_USEHCOM[] = "ge.exec.isUseHcom";
constexpr char_t OPTION_EXEC_IS_USEHVD[] = "ge.exec.isUseHvd";
constexpr char_t OPTION_EXEC_RANK_ID[] = "ge.exec.rankId";
constexpr char_t OPTION_EXEC_POD_NAME[] = "ge.exec.podName";
constexpr char_t OPTION_EXEC_DEPLOY_MODE[] = "ge.exec.deployMode";
constexpr char_t OPTION_EXEC_RANK_TABLE_FILE[] = "ge.exec.rankTableFile";
constexpr char_t GE_AICPU_FLAG[] = "ge.aicpuFlag";
constexpr char_t OPTION_EXEC_EXTERN_PLUGIN_PATH[] = "ge.soLoadPath";
constexpr char_t OPTION_EXEC_ENABLE_DUMP[] = "ge.exec.enableDump";
constexpr char_t OPTION_EXEC_DUMP_PATH[] = "ge.exec.dumpPath";
constexpr char_t OPTION_EXEC_DUMP_STEP[] = "ge.exec.dumpStep";
constexpr char_t OPTION_EXEC_DUMP_MODE[] = "ge.exec.dumpMode";
constexpr char_t OPTION_EXEC_DUMP_DATA[] = "ge.exec.dumpData";
constexpr char_t OPTION_EXEC_DUMP_LAYER[] = "ge.exec.dumpLayer";
constexpr char_t OPTION_EXEC_ENABLE_DUMP_DEBUG[] = "ge.exec.enableDumpDebug";
constexpr char_t OPTION_EXEC_DUMP_DEBUG_MODE[] = "ge.exec.dumpDebugMode";
constexpr char_t OPTION_EXEC_ENABLE_INCRE_BUILD[] = "ge.exec.enableIncreBuild";
constexpr char_t OPTION_EXEC_INCRE_BUILD_CACHE_PATH[] = "ge.exec.increBuildCachePath";
constexpr char_t OPTION_EXEC_ENABLE_EXCEPTION_DUMP[] = "ge.exec.enable_exception_dump";
constexpr char_t OPTION_EXEC_ENABLE_SCOPE_FUSION_PASSES[] = "ge.exec.enableScopeFusionPasses";
constexpr char_t OPTION_EXEC_PROFILING_FPPONIT_OPTIONS[] = "ge.exec.profilingFpPointOptions";
constexpr char_t OPTION_EXEC_PROFILING_BPPONIT_OPTIONS[] = "ge.exec.profilingBpPointOptions";
constexpr char_t OPTION_EXEC_PROFILING_MODE[] = "ge.exec.profilingMode";
constexpr char_t OPTION_EXEC_PROFILING_OPTIONS[] = "ge.exec.profilingOptions";
constexpr char_t OPTION_EXEC_HCCL_FLAG[] = "ge.exec.hcclFlag";
constexpr char_t OPTION_EXEC_ATOMIC_FLAG[] = "ge.exec.enable_atomic";
constexpr char_t OPTION_EXEC_DISABLE_REUSED_MEMORY[] = "ge.exec.disableReuseMemory";
constexpr char_t OPTION_EXEC_ENABLE_TAILING_OPTIMIZATION[] = "ge.exec.isTailingOptimization";
constexpr char_t OPTION_EXEC_DYNAMIC_INPUT[] = "ge.exec.dynamicInput";
constexpr char_t OPTION_EXEC_DYNAMIC_EXECUTE_MODE[] = "ge.exec.dynamicGraphExecuteMode";
constexpr char_t OPTION_EXEC_DATA_INPUTS_SHAPE_RANGE[] = "ge.exec.dataInputsShapeRange";
constexpr char_t OPTION_EXEC_ENABLE_COPY_OUTPUT_ADDR[] = "ge.exec.enableCopyOutputAddr";
constexpr char_t OPTION_EXEC_GRAPH_EXEC_TIMEOUT[] = "ge.exec.graphExecTimeout";
constexpr char_t OPTION_EXEC_OPTIMIZE_SHAPE[] = "ge.exec.dataInputsOptimizeShape";
constexpr char_t OPTION_ALL_TENSOR_NOT_EMPTY[] = "ge.exec.allTensorNotEmpty";
constexpr char_t OPTION_EXEC_DYNAMIC_GRAPH_PARALLEL_MODE[] = "ge.experiment.dynamicGraphParallelMode";
constexpr char_t GRAPH_MEMORY_MAX_SIZE[] = "ge.graphMemoryMaxSize";
constexpr char_t VARIABLE_MEMORY_MAX_SIZE[] = "ge.variableMemoryMaxSize";
constexpr char_t OPTION_EXEC_REUSE_ZERO_COPY_MEMORY[] = "ge.exec.reuseZeroCopyMemory";
constexpr char_t OPTION_INPUT_REUSE_MEM_INDEXES[] = "ge.exec.inputReuseMemIndexes";
constexpr char_t OPTION_OUTPUT_REUSE_MEM_INDEXES[] = "ge.exec.outputReuseMemIndexes";
constexpr char_t OPTION_GRAPH_IO_MEM_ALLOC_MODE[] = "ge.exec.graphIOMemAllocMode";
constexpr char_t OPTION_FLOW_GRAPH_MEMORY_MAX_SIZE[] = "ge.flowGraphMemMaxSize";
constexpr char_t OPTION_VARIABLE_USE_1G_HUGE_PAGE[] = "ge.variableUse1gHugePage";
constexpr char_t OPTION_EXEC_HOST_INPUT_INDEXES[] = "ge.exec.hostInputIndexes";
GE_INLINE_VARIABLE const std::string ATOMIC_CLEAN_POLICY = "ge.exec.atomicCleanPolicy";
GE_INLINE_VARIABLE const std::string MEMORY_OPTIMIZATION_POLICY = "ge.exec.memoryOptimizationPolicy";
GE_INLINE_VARIABLE const std::string STATIC_MEMORY_POLICY = "ge.exec.staticMemoryPolicy";
constexpr char_t OPTION_FEATURE_BASE_REFRESHABLE[] = "ge.featureBaseRefreshable";
constexpr char_t OPTION_CONST_LIFECYCLE[] = "ge.constLifecycle";
constexpr char_t OPTION_EXEC_LOGICAL_DEVICE_CLUSTER_DEPLOY_MODE[] = "ge.exec.logicalDeviceClusterDeployMode";
constexpr char_t OPTION_EXEC_LOGICAL_DEVICE_ID[] = "ge.exec.logicalDeviceId";
constexpr char_t OPTION_EXEC_MODEL_DEPLOY_MODE[] = "ge.exec.modelDeployMode";
constexpr char_t OPTION_EXEC_MODEL_DEPLOY_DEVICELIST[] = "ge.exec.modelDeployDevicelist";
constexpr char_t OPTION_EXEC_ENABLE_FUSION[] = "ge.exec.enableFusion";
constexpr char_t OPTION_EXEC_INPUT_FUSION_SIZE[] = "ge.exec.input_fusion_size";
GE_INLINE_VARIABLE const std::string OPTION_EXEC_CM_CHIEF_IP = "ge.cmChiefIp";
GE_INLINE_VARIABLE const std::string OPTION_EXEC_CM_CHIEF_PORT = "ge.cmChiefPort";
GE_INLINE_VARIABLE const std::string OPTION_EXEC_CM_CHIEF_DEVICE = "ge.cmChiefWorkerDevice";
GE_INLINE_VARIABLE const std::string OPTION_EXEC_CM_WORKER_IP = "ge.cmWorkerIp";
GE_INLINE_VARIABLE const std::string OPTION_EXEC_CM_WORKER_SIZE = "ge.cmWorkerSize";
GE_INLINE_VARIABLE const std::string OPTION_NAME_MAP = "ge.optionNameMap";
GE_INLINE_VARIABLE const std::string OPTION_EXEC_STREAM_SYNC_TIMEOUT = "stream_sync_timeout";
GE_INLINE_VARIABLE const std::string OPTION_EXEC_EVENT_SYNC_TIMEOUT = "event_sync_timeout";
constexpr char_t OPTION_EXEC_PS_ID[] = "ge.exec.psId";
constexpr char_t OPTION_EXEC_CLUSTER_SPEC[] = "ge.exec.clusterSpec";
constexpr char_t OPTION_EXEC_RANK_TABLE_ADDR[] = "ge.exec.rankTableAddr";
constexpr char_t OPTION_EXEC_ROLE_TABLE_ADDR[] = "ge.exec.roleTableAddr";
constexpr char_t OPTION_EXEC_RANK_TABLE_LEN[] = "ge.exec.rankTableLen";
constexpr char_t OPTION_EXEC_ROLE_TABLE_LEN[] = "ge.exec.roleTableLen";
constexpr char_t OPTION_EXEC_WORKER_NUM[] = "ge.exec.workerNum";
constexpr char_t OPTION_MAX_KEY_NUM[] = "ge.max_num";
constexpr char_t OPTION_EMBEDDING_DIM[] = "ge.embedding_dim";
constexpr char_t OPTION_USE_COUNTER_FILTER[] = "ge.use_counter_filter";
constexpr char_t OPTION_EXEC_RANK_MAP[] = "ge.exec.rankMap";
constexpr char_t OPTION_EXEC_ENABLE_ENGINE_PARALLEL[] = "ge.exec.enableEngineParallel";
constexpr char_t OPTION_EXEC_ENGINE_PARALLEL_CONFIG_PATH[] = "ge.exec.engineParallelConfigPath";
constexpr char_t OPTION_EXEC_IS_IN_SHARD_GRAPH[] = "ge.exec.isInShardGraph";
constexpr char_t OPTION_HOST_ENV_OS[] = "ge.host_env_os";
constexpr char_t OPTION_HOST_ENV_CPU[] = "ge.host_env_cpu";
constexpr char_t OPTION_OP_DEPENDENCY_IN_OM[] = "ge.op_dependency_in_om";
constexpr char_t OPTION_GRAPH_COMPILER_CACHE_DIR[] = "ge.graph_compiler_cache_dir";
constexpr char_t OPTION_GRAPH_KEY[] = "ge.graph_key";
constexpr char_t OPTION_DISABLE_OPTIMIZATIONS[] = "ge.disableOptimizations";
constexpr char_t ENABLE_GRAPH_PARALLEL[] = "ge.enableGraphParallel";
constexpr char_t GRAPH_PARALLEL_OPTION_PATH[] = "ge.graphParallelOptionPath";
GE_INLINE_VARIABLE const std::string DISTRIBUTED_CLUSTER_BUILD = "ge.distributed_cluster_build";
GE_INLINE_VARIABLE const std::string MODEL_RELATION_CONFIG = "ge.offline_model_relation";
GE_INLINE_VARIABLE const std::string CLUSTER_CONFIG = "ge.cluster_config";
GE_INLINE_VARIABLE const std::string OPTION_HCCL_COMPILER_OFFLINE = "ge.offline_hccl_compile";
GE_INLINE_VARIABLE const std::string HCCL_SUB_COMM_CONFIG = "ge.hccl_sub_comm_config";
constexpr char_t OPTION_SCREEN_PRINT_MODE[] = "ge.screen_print_mode";
constexpr char_t INPUT_FORMAT[] = "input_format";
constexpr char_t COMPRESS_WEIGHT_CONF[] = "compress_weight_conf";
constexpr char_t OPTION_EXEC_VARIABLE_ACC[] = "ge.exec.variable_acc";
constexpr char_t OPTION_EXEC_OP_DEBUG_CONFIG[] = "ge.exec.opDebugConfig";
constexpr char_t OPTION_JOB_TYPE[] = "ge.jobType";
constexpr char_t OPTION_TUNINGPATH[] = "ge.tuningPath";
constexpr char_t OPTION_AOE_CONFIG_FILE[] = "ge.aoe_config_file";
constexpr char_t OPTION_SESSION_DEVICE_ID[] = "ge.session_device_id";
constexpr char_t OPTION_DISTRIBUTE_CONFIG[] = "distribute_config";
constexpr char_t OPTION_EXEC_HCCL_EXECUTE_TIMEOUT[] = "ge.exec.hcclExecuteTimeOut";
constexpr char_t OPTION_EXEC_PLACEMENT[] = "ge.exec.placement";
constexpr char_t OPTION_IS_VAR_INIT_GRAPH[] = "ge.exec.isVarInitGraph";
constexpr char_t OPTION_EXEC_OVERFLOW[] = "ge.exec.overflow";
constexpr char_t OPTION_DATAFLOW_DEPLOY_INFO_PATH[] = "ge.experiment.data_flow_deploy_info_path";
constexpr char_t OPTION_MOMORY_POOL_THRESHOLD[] = "ge.experiment.memory_pool_threshold";
constexpr char_t OPTION_HCCL_ALGORITHM[] = "HCCL_algorithm";
constexpr char_t OPTION_ES_CLUSTER_CONFIG[] = "ge.esClusterConfig";
constexpr char_t OPTION_EXECUTE_TIMES[] = "execute_times";
constexpr char_t OPTION_ES_MAX_REMOTEOP_NUM_PER_STREAM[] = "es_max_remoteop_num_per_stream";
constexpr char_t OPTION_HOST_SCHEDULING_MAX_THRESHOLD[] = "ge.exec.hostSchedulingMaxThreshold";
constexpr char_t OPTION_EXTERNAL_WEIGHT_DIR[] = "ge.externalWeightDir";
constexpr char_t OPTION_H2D_OVERLAPPED_WITH_COMPUTE[] = "ge.compile.h2dOverlappedWithCompute";
constexpr char_t OPTION_STATIC_MODEL_OPS_LOWER_LIMIT[] = "ge.exec.static_model_ops_lower_limit";
GE_INLINE_VARIABLE const std::string STREAM_NUM = "ge.streamNum";
GE_INLINE_VARIABLE const std::string HEAD_STREAM = "ge.headStream";
GE_INLINE_VARIABLE const std::string AC_PARALLEL_ENABLE = "ac_parallel_enable";
GE_INLINE_VARIABLE const std::string PERF_LEVEL = "ge.perfLevel";
GE_INLINE_VARIABLE const std::string ENCRYPT_MODE = "ge.encryptMode";
GE_INLINE_VARIABLE const std::string EK_FILE = "ge.ekFile";
GE_INLINE_VARIABLE const std::string CERT_FILE = "ge.certFile";
GE_INLINE_VARIABLE const std::string HW_KEY_FILE = "ge.hwKeyFile";
GE_INLINE_VARIABLE const std::string PRIVATE_KEY_FILE = "ge.privateKeyFile";
GE_INLINE_VARIABLE const std::string FRAMEWORK_TYPE = "ge.frameworkType";
GE_INLINE_VARIABLE const std::string CALIBRATION_CONF_FILE = "ge.calibrationConfFile";
GE_INLINE_VARIABLE const std::string INSERT_OP_FILE = "ge.insertOpFile";
GE_INLINE_VARIABLE const std::string OUTPUT_NODE_NAME = "ge.outputNodeName";
GE_INLINE_VARIABLE const std::string COMPRESS_FLAG = "ge.compressFlag";
GE_INLINE_VARIABLE const std::string PRECISION_MODE = "ge.exec.precision_mode";
GE_INLINE_VARIABLE const std::string PRECISION_MODE_V2 = "ge.exec.precision_mode_v2";
GE_INLINE_VARIABLE const std::string TUNE_DEVICE_IDS = "ge.exec.tuneDeviceIds";
GE_INLINE_VARIABLE const std::string SINGLE_OP_FLAG = "ge.exec.single_op";
GE_INLINE_VARIABLE const std::string TRAIN_FLAG = "ge.trainFlag";
GE_INLINE_VARIABLE const std::string RUN_FLAG = "ge.runFlag";
GE_INLINE_VARIABLE const std::string LOCAL_FMKOP_FLAG = "ge.enabledLocalFmkop";
GE_INLINE_VARIABLE const std::string TBE_PLUGIN_PATH_FLAG = "ge.TBE_plugin_path";
GE_INLINE_VARIABLE const std::string DDK_VERSION_FLAG = "ge.DDK_version";
GE_INLINE_VARIABLE const std::string GE_FE_FLAG = "ge.feFlag";
GE_INLINE_VARIABLE const std::string STREAM_MAX_PARALLEL_NUM = "ge.streamMaxParallelNum";
GE_INLINE_VARIABLE const std::string OUTPUT_DATATYPE = "ge.outputDatatype";
GE_INLINE_VARIABLE const std::string OP_SELECT_IMPL_MODE = "ge.opSelectImplmode";
GE_INLINE_VARIABLE const std::string OPTYPELIST_FOR_IMPLMODE = "ge.optypelistForImplmode";
GE_INLINE_VARIABLE const std::string HCOM_PARALLEL = "ge.hcomParallel";
constexpr char_t kDynamicBatchSize[] = "ge.dynamicBatchSize";
GE_INLINE_VARIABLE const std::string FUSION_TENSOR_SIZE = "ge.fusionTensorSize";
GE_INLINE_VARIABLE const std::string INPUT_SHAPE = "ge.inputShape";
constexpr char_t INPUT_HINT_SHAPE[] = "ge.inputHintShape";
constexpr char_t INPUT_HINT_VALUE[] = "ge.inputHintValue";
GE_INLINE_VARIABLE const std::string OUTPUT_MAX_SIZE = "ge.outputMaxSize";
GE_INLINE_VARIABLE const std::string DYNAMIC_NODE_TYPE = "ge.dynamicNodeType";
constexpr char_t kDynamicImageSize[] = "ge.dynamicImageSize";
constexpr char_t kDynamicDims[] = "ge.dynamicDims";
GE_INLINE_VARIABLE const std::string AUTO_TUNE_MODE = "ge.autoTuneMode";
GE_INLINE_VARIABLE const std::string SOC_VERSION = "ge.socVersion";
GE_INLINE_VARIABLE const std::string VIRTUAL_TYPE = "ge.virtual_type";
GE_INLINE_VARIABLE const std::string CORE_TYPE = "ge.engineType";
GE_INLINE_VARIABLE const std::string EXCLUDE_ENGINES = "ge.exec.exclude_engines";
GE_INLINE_VARIABLE const std::string AICORE_NUM = "ge.aicoreNum";
GE_INLINE_VARIABLE const std::string L1_FUSION = "ge.l1Fusion";
GE_INLINE_VARIABLE const std::string BUFFER_OPTIMIZE = "ge.bufferOptimize";
GE_INLINE_VARIABLE const std::string ENABLE_SMALL_CHANNEL = "ge.enableSmallChannel";
GE_INLINE_VARIABLE const std::string ENABLE_COMPRESS_WEIGHT = "ge.enableCompressWeight";
GE_INLINE_VARIABLE const std::string ENABLE_SPARSE_MATRIX_WEIGHT = "ge.enableSparseMatrixWeight";
GE_INLINE_VARIABLE const std::string FUSION_SWITCH_FILE = "ge.fusionSwitchFile";
GE_INLINE_VARIABLE const std::string COMPRESSION_OPTIMIZE_CONF = "ge.compressionOptimizeConf";
GE_INLINE_VARIABLE const std::string CUSTOMIZE_DTYPES = "ge.customizeDtypes";
GE_INLINE_VARIABLE const std::string OP_DEBUG_CONFIG = "op_debug_config";
GE_INLINE_VARIABLE const std::string SAVE_ORIGINAL_MODEL = "ge.saveOriginalModel";
GE_INLINE_VARIABLE const std::string ORIGINAL_MODEL_FILE = "ge.originalModelFile";
constexpr char_t OPTION_GE_MAX_DUMP_FILE_NUM[] = "ge.maxDumpFileNum";
constexpr char_t OPTION_GE_MAX_DUMP_FILE_SIZE[] = "ge.maxDumpFileSize";
constexpr char_t OPTION_GE_MAX_DUMP_OP_NUM[] = "ge.maxDumpOpNum";
constexpr char_t OPTION_ALLOW_MULTI_GRAPH_PARALLEL_COMPILE[] = "ge.AllowMultiGraphParallelCompile";
constexpr char_t ENABLE_PRINT_OP_PASS[] = "ge.enablePrintOpPass";
constexpr char_t DEBUG_DIR[] = "ge.debugDir";
constexpr char_t STATUS_CHECK[] = "ge.status_check";
constexpr char_t OP_COMPILER_CACHE_DIR[] = "ge.op_compiler_cache_dir";
constexpr char_t OP_COMPILER_CACHE_MODE[] = "ge.op_compiler_cache_mode";
constexpr char_t BUILD_INNER_MODEL[] = "ge.build_inner_model";
constexpr char_t ENABLE_SINGLE_STREAM[] = "ge.enableSingleStream";
constexpr char_t OPTION_AUTO_MULTISTREAM_PARALLEL_MODE[] = "ge.autoMultistreamParallelMode";
GE_INLINE_VARIABLE const std::string INPUT_FP16_NODES = "ge.INPUT_NODES_SET_FP16";
GE_INLINE_VARIABLE const std::string OP_DEBUG_LEVEL = "ge.opDebugLevel";
GE_INLINE_VARIABLE const std::string OP_DEBUG_OPTION = "op_debug_option";
GE_INLINE_VARIABLE const std::string MDL_BANK_PATH_FLAG = "ge.mdl_bank_path";
GE_INLINE_VARIABLE const std::string DISPLAY_MODEL_INFO = "ge.display_model_info";
GE_INLINE_VARIABLE const std::string OP_BANK_PATH_FLAG = "ge.op_bank_path";
GE_INLINE_VARIABLE const std::string OP_BANK_UPDATE_FLAG = "ge.op_bank_update";
GE_INLINE_VARIABLE const std::string HCOM_MULTI_MODE = "ge.hcomMultiMode";
constexpr char_t INPUT_SHAPE_RANGE[] = "input_shape_range";
GE_INLINE_VARIABLE const std::string PERFORMANCE_MODE = "ge.performance_mode";
GE_INLINE_VARIABLE const std::string SHAPE_GENERALIZED_BUILD_MODE = "ge.shape_generalized_build_mode";
GE_INLINE_VARIABLE const std::string JIT_COMPILE = "ge.jit_compile";
GE_INLINE_VARIABLE const std::string MODIFY_MIXLIST = "ge.exec.modify_mixlist";
GE_INLINE_VARIABLE const std::string OP_PRECISION_MODE = "ge.exec.op_precision_mode";
GE_INLINE_VARIABLE const std::string ALLOW_HF32 = "ge.exec.allow_hf32";
GE_INLINE_VARIABLE const std::string OP_WAIT_TIMEOUT = "ge.exec.opWaitTimeout";
GE_INLINE_VARIABLE const std::string OP_EXECUTE_TIMEOUT = "ge.exec.opExecuteTimeout";
constexpr char_t FILE_CONSTANT_PATH[] = "ge.exec.value_bins";
GE_INLINE_VARIABLE const std::string EXTERNAL_WEIGHT = "ge.externalWeight";
GE_INLINE_VARIABLE const std::string ATTR_MODEL_FILE_NAME_PREFIX = "ge.modelFileNamePrefix";
GE_INLINE_VARIABLE const std::string DETERMINISTIC = "ge.deterministic";
GE_INLINE_VARIABLE const std::string DETERMINISTIC_LEVEL = "ge.deterministicLevel";
GE_INLINE_VARIABLE const std::string QUANT_DUMPABLE = "ge.quant_dumpable";
GE_INLINE_VARIABLE const std::string QUANT_BIAS_OPTIMIZE = "ge.experiment.quant_bias_optimize";
GE_INLINE_VARIABLE const std::string TILING_SCHEDULE_OPTIMIZE = "ge.tiling_schedule_optimize";
GE_INLINE_VARIABLE const std::string GRAPH_MAX_PARALLEL_MODEL_NUM = "ge.graphMaxParallelModelNum";
GE_INLINE_VARIABLE const std::string OPTION_BUILD_CONFIG = "ge.buildConfig";
constexpr char_t EVENT[] = "ge.event";
constexpr char_t OO_LEVEL[] = "ge.oo.level";
constexpr char_t OO_CONSTANT_FOLDING[] = "ge.oo.constantFolding";
constexpr char_t OO_DEAD_CODE_ELIMINATION[] = "ge.oo.deadCodeElimination";
constexpr char_t OPTION_EXPORT_COMPILE_STAT[] = "ge.exportCompileStat";
constexpr char_t OPTIMIZATION_SWITCH[] = "ge.optimizationSwitch";
constexpr char_t OPTION_OUTPUT_REUSE_INPUT_MEM_INDEXES[] = "ge.exec.outputReuseInputMemIndexes";

namespace configure_option {
constexpr char_t STREAM_NUM[] = "ge.streamNum";
constexpr char_t HEAD_STREAM[] = "ge.headStream";
constexpr char_t AC_PARALLEL_ENABLE[] = "ac_parallel_enable";
constexpr char_t PERF_LEVEL[] = "ge.perfLevel";
constexpr char_t ENCRYPT_MODE[] = "ge.encryptMode";
constexpr char_t EK_FILE[] = "ge.ekFile";
constexpr char_t CERT_FILE[] = "ge.certFile";
constexpr char_t HW_KEY_FILE[] = "ge.hwKeyFile";
constexpr char_t PRIVATE_KEY_FILE[] = "ge.privateKeyFile";
constexpr char_t FRAMEWORK_TYPE[] = "ge.frameworkType";
constexpr char_t CALIBRATION_CONF_FILE[] = "ge.calibrationConfFile";
constexpr char_t INSERT_OP_FILE[] = "ge.insertOpFile";
constexpr char_t OUTPUT_NODE_NAME[] = "ge.outputNodeName";
constexpr char_t COMPRESS_FLAG[] = "ge.compressFlag";
constexpr char_t PRECISION_MODE[] = "ge.exec.precision_mode";
constexpr char_t PRECISION_MODE_V2[] = "ge.exec.precision_mode_v2";
constexpr char_t SINGLE_OP_FLAG[] = "ge.exec.single_op";
constexpr char_t TRAIN_FLAG[] = "ge.trainFlag";
constexpr char_t RUN_FLAG[] = "ge.runFlag";
constexpr char_t LOCAL_FMKOP_FLAG[] = "ge.enabledLocalFmkop";
constexpr char_t TBE_PLUGIN_PATH_FLAG[] = "ge.TBE_plugin_path";
constexpr char_t DDK_VERSION_FLAG[] = "ge.DDK_version";
constexpr char_t GE_FE_FLAG[] = "ge.feFlag";
constexpr char_t STREAM_MAX_PARALLEL_NUM[] = "ge.streamMaxParallelNum";
constexpr char_t OUTPUT_DATATYPE[] = "ge.outputDatatype";
constexpr char_t OP_SELECT_IMPL_MODE[] = "ge.opSelectImplmode";
constexpr char_t OPTYPELIST_FOR_IMPLMODE[] = "ge.optypelistForImplmode";
constexpr char_t HCOM_PARALLEL[] = "ge.hcomParallel";
constexpr char_t AUTO_TUNE_MODE[] = "ge.autoTuneMode";
constexpr char_t SOC_VERSION[] = "ge.socVersion";
constexpr char_t VIRTUAL_TYPE[] = "ge.virtual_type";
constexpr char_t CORE_TYPE[] = "ge.engineType";
constexpr char_t AICORE_NUM[] = "ge.aicoreNum";
constexpr char_t INPUT_BATCH_CPY[] = "ge.inputBatchCpy";
constexpr char_t L1_FUSION[] = "ge.l1Fusion";
constexpr char_t BUFFER_OPTIMIZE[] = "ge.bufferOptimize";
constexpr char_t ENABLE_SMALL_CHANNEL[] = "ge.enableSmallChannel";
constexpr char_t ENABLE_COMPRESS_WEIGHT[] = "ge.enableCompressWeight";
constexpr char_t FUSION_SWITCH_FILE[] = "ge.fusionSwitchFile";
constexpr char_t SAVE_ORIGINAL_MODEL[] = "ge.saveOriginalModel";
constexpr char_t ORIGINAL_MODEL_FILE[] = "ge.originalModelFile";
constexpr char_t INPUT_FP16_NODES[] = "ge.INPUT_NODES_SET_FP16";
constexpr char_t OP_DEBUG_LEVEL[] = "ge.opDebugLevel";
constexpr char_t PERFORMANCE_MODE[] = "ge.performance_mode";
constexpr char_t SHAPE_GENERALIZED_BUILD_MODE[] = "ge.shape_generalized_build_mode";
constexpr char_t MODIFY_MIXLIST[] = "ge.exec.modify_mixlist";
constexpr char_t OP_PRECISION_MODE[] = "ge.exec.op_precision_mode";
constexpr char_t ALLOW_HF32[] = "ge.exec.allow_hf32";
constexpr char_t CUSTOMIZE_DTYPES[] = "ge.customizeDtypes";
constexpr char_t COMPRESSION_OPTIMIZE_CONF[] = "ge.compressionOptimizeConf";
constexpr char_t OP_DEBUG_CONFIG[] = "op_debug_config";
constexpr char_t ATOMIC_CLEAN_POLICY[] = "ge.exec.atomicCleanPolicy";
constexpr char_t STATIC_MEMORY_POLICY[] = "ge.exec.staticMemoryPolicy";
constexpr char_t EXTERNAL_WEIGHT[] = "ge.externalWeight";
constexpr char_t QUANT_DUMPABLE[] = "ge.quant_dumpable";
constexpr char_t QUANT_BIAS_OPTIMIZE[] = "ge.experiment.quant_bias_optimize";
constexpr char_t DETERMINISTIC[] = "ge.deterministic";
constexpr char_t DETERMINISTIC_LEVEL[] = "ge.deterministicLevel";
constexpr char_t OP_DEBUG_OPTION[] = "op_debug_option";
constexpr char_t TILING_SCHEDULE_OPTIMIZE[] = "ge.tiling_schedule_optimize";
constexpr char_t GRAPH_MAX_PARALLEL_MODEL_NUM[] = "ge.graphMaxParallelModelNum";
}  // namespace configure_option

}  // namespace ge

#endif
