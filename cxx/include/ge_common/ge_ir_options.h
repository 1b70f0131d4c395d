// Option keys of the offline build and of the parsers.
#ifndef INC_GE_COMMON_GE_IR_OPTIONS_H_
#define INC_GE_COMMON_GE_IR_OPTIONS_H_

#include <set>
#include <string>

#include "graph/detail/language.h"
#include "graph/types.h"

namespace ge {
namespace ir_option {
static const char_t *const INPUT_FORMAT = "input_format";
static const char_t *const INPUT_SHAPE = "input_shape";
static const char_t *const INPUT_DATA_NAMES = "input_data_names";
static const char_t *const OUT_NODES = "ge.outputNodeName";
static const char_t *const INPUT_SHAPE_RANGE = "input_shape_range";
static const char_t *const OP_NAME_MAP = "op_name_map";
static const char_t *const IS_DYNAMIC_INPUT = "is_dynamic_input";
static const char_t *const IS_INPUT_ADJUST_HW_LAYOUT = "is_input_adjust_hw_layout";
static const char_t *const IS_OUTPUT_ADJUST_HW_LAYOUT = "is_output_adjust_hw_layout";
static const char_t *const ENABLE_SCOPE_FUSION_PASSES = "enable_scope_fusion_passes";
static const char_t *const OUTPUT = "output";
static const char_t *const DYNAMIC_BATCH_SIZE = "ge.dynamicBatchSize";
static const char_t *const DYNAMIC_IMAGE_SIZE = "ge.dynamicImageSize";
static const char_t *const DYNAMIC_DIMS = "ge.dynamicDims";
static const char_t *const INSERT_OP_FILE = "ge.insertOpFile";
static const char_t *const PRECISION_MODE = "ge.exec.precision_mode";
static const char_t *const PRECISION_MODE_V2 = "ge.exec.precision_mode_v2";
static const char_t *const TUNE_DEVICE_IDS = "ge.exec.tuneDeviceIds";
static const char_t *const EXEC_DISABLE_REUSED_MEMORY = "ge.exec.disableReuseMemory";
static const char_t *const AUTO_TUNE_MODE = "ge.autoTuneMode";
static const char_t *const CORE_TYPE = "ge.engineType";
static const char_t *const SOC_VERSION = "ge.socVersion";
static const char_t *const VIRTUAL_TYPE = "ge.virtual_type";
static const char_t *const ENABLE_SINGLE_STREAM = "ge.enableSingleStream";
static const char_t *const AC_PARALLEL_ENABLE = "ac_parallel_enable";
static const char_t *const AICORE_NUM = "ge.aicoreNum";
static const char_t *const FUSION_SWITCH_FILE = "ge.fusionSwitchFile";
static const char_t *const ENABLE_SMALL_CHANNEL = "ge.enableSmallChannel";
static const char_t *const OP_SELECT_IMPL_MODE = "ge.opSelectImplmode";
static const char_t *const OUTPUT_TYPE = "ge.outputDatatype";
static const char_t *const BUFFER_OPTIMIZE = "ge.bufferOptimize";
static const char_t *const ENABLE_COMPRESS_WEIGHT = "ge.enableCompressWeight";
static const char_t *const SPARSITY = "ge.enableSparseMatrixWeight";
static const char_t *const COMPRESS_WEIGHT_CONF = "compress_weight_conf";
static const char_t *const INPUT_FP16_NODES = "ge.INPUT_NODES_SET_FP16";
static const char_t *const LOG_LEVEL = "log";
static const char_t *const OPTYPELIST_FOR_IMPLMODE = "ge.optypelistForImplmode";
static const char_t *const DEBUG_DIR = "ge.debugDir";
static const char_t *const OP_COMPILER_CACHE_DIR = "ge.op_compiler_cache_dir";
static const char_t *const OP_COMPILER_CACHE_MODE = "ge.op_compiler_cache_mode";
static const char_t *const BUILD_INNER_MODEL = "ge.build_inner_model";
static const char_t *const MDL_BANK_PATH = "ge.mdl_bank_path";
static const char_t *const OP_BANK_PATH = "ge.op_bank_path";
static const char_t *const OP_BANK_UPDATE = "ge.op_bank_update";
static const char_t *const OP_DEBUG_LEVEL = "ge.opDebugLevel";
static const char_t *const PERFORMANCE_MODE = "ge.performance_mode";
static const char_t *const SHAPE_GENERALIZED_BUILD_MODE = "ge.shape_generalized_build_mode";
static const char_t *const MODIFY_MIXLIST = "ge.exec.modify_mixlist";
static const char_t *const OP_PRECISION_MODE = "ge.exec.op_precision_mode";
static const char_t *const ALLOW_HF32 = "ge.exec.allow_hf32";
static const char_t *const CUSTOMIZE_DTYPES = "ge.customizeDtypes";
static const char_t *const COMPRESSION_OPTIMIZE_CONF = "ge.compressionOptimizeConf";
static const char_t *const OP_DEBUG_CONFIG = "op_debug_config";
static const char_t *const ATOMIC_CLEAN_POLICY = "ge.exec.atomicCleanPolicy";
static const char_t *const EXTERNAL_WEIGHT = "ge.externalWeight";
static const char_t *const EXCLUDE_ENGINES = "ge.exec.exclude_engines";
static const char_t *const DETERMINISTIC = "ge.deterministic";
static const char_t *const DETERMINISTIC_LEVEL = "ge.deterministicLevel";
static const char_t *const DISTRIBUTED_CLUSTER_BUILD = "ge.distributed_cluster_build";
static const char_t *const MODEL_RELATION_CONFIG = "ge.offline_model_relation";
static const char_t *const CLUSTER_CONFIG = "ge.cluster_config";
static const char_t *const HCCL_SUB_COMM_CONFIG = "ge.hccl_sub_comm_config";
static const char_t *const ENABLE_GRAPH_PARALLEL = "ge.enableGraphParallel";
static const char_t *const GRAPH_PARALLEL_OPTION_PATH = "ge.graphParallelOptionPath";
static const char_t *const QUANT_DUMPABLE = "ge.quant_dumpable";
static const char_t *const QUANT_BIAS_OPTIMIZE = "ge.experiment.quant_bias_optimize";
static const char_t *const OP_DEPENDENCY_IN_OM = "ge.op_dependency_in_om";
static const char_t *const OP_DEBUG_OPTION = "op_debug_option";
static const char_t *const TILING_SCHEDULE_OPTIMIZE = "ge.tiling_schedule_optimize";
static const char_t *const GRAPH_MAX_PARALLEL_MODEL_NUM = "ge.graphMaxParallelModelNum";
static const char_t *const OPTION_BUILD_CONFIG = "ge.buildConfig";
static const char_t *const OO_LEVEL = "ge.oo.level";
static const char_t *const OO_CONSTANT_FOLDING = "ge.oo.constantFolding";
static const char_t *const OO_DEAD_CODE_ELIMINATION = "ge.oo.deadCodeElimination";
static const char_t *const OPTION_EXPORT_COMPILE_STAT = "ge.exportCompileStat";
static const char_t *const OPTIMIZATION_SWITCH = "ge.optimizationSwitch";
static const char_t *const INPUT_HINT_SHAPE = "ge.inputHintShape";
static const char_t *const INPUT_HINT_VALUE = "ge.inputHintValue";
static const char_t *const OPTION_OUTPUT_REUSE_INPUT_MEM_INDEXES = "ge.exec.outputReuseInputMemIndexes";
static const char_t *const OPTION_H2D_OVERLAPPED_WITH_COMPUTE = "ge.compile.h2dOverlappedWithCompute";
static const char_t *const OFFLINE_MODE = "ge.offlineMode";
static const char_t *const EXEC_DEVICE_CONFIG_PATH = "ge.exec.exec_device_config_path";

GE_INLINE_VARIABLE const std::set<std::string> ir_parser_suppported_options = {
    INPUT_SHAPE, INPUT_DATA_NAMES, INPUT_FP16_NODES,          IS_INPUT_ADJUST_HW_LAYOUT, IS_OUTPUT_ADJUST_HW_LAYOUT,
    OUTPUT,      OUT_NODES,        ENABLE_SCOPE_FUSION_PASSES};

GE_INLINE_VARIABLE const std::set<std::string> ir_builder_suppported_options = {INPUT_FORMAT,
                                                                                INPUT_SHAPE,
                                                                                INPUT_SHAPE_RANGE,
                                                                                OP_NAME_MAP,
                                                                                DYNAMIC_BATCH_SIZE,
                                                                                DYNAMIC_IMAGE_SIZE,
                                                                                DYNAMIC_DIMS,
                                                                                INSERT_OP_FILE,
                                                                                OP_PRECISION_MODE,
                                                                                ALLOW_HF32,
                                                                                PRECISION_MODE,
                                                                                PRECISION_MODE_V2,
                                                                                TUNE_DEVICE_IDS,
                                                                                EXEC_DISABLE_REUSED_MEMORY,
                                                                                AUTO_TUNE_MODE,
                                                                                OUTPUT_TYPE,
                                                                                OUT_NODES,
                                                                                INPUT_FP16_NODES,
                                                                                LOG_LEVEL,
                                                                                OP_DEBUG_LEVEL,
                                                                                OP_DEBUG_OPTION,
                                                                                DEBUG_DIR,
                                                                                OP_COMPILER_CACHE_DIR,
                                                                                OP_COMPILER_CACHE_MODE,
                                                                                MDL_BANK_PATH,
                                                                                OP_BANK_PATH,
                                                                                OP_BANK_UPDATE,
                                                                                PERFORMANCE_MODE,
                                                                                SHAPE_GENERALIZED_BUILD_MODE,
                                                                                MODIFY_MIXLIST,
                                                                                CUSTOMIZE_DTYPES,
                                                                                BUILD_INNER_MODEL,
                                                                                OP_DEBUG_CONFIG,
                                                                                EXCLUDE_ENGINES,
                                                                                EXTERNAL_WEIGHT,
                                                                                DISTRIBUTED_CLUSTER_BUILD,
                                                                                MODEL_RELATION_CONFIG,
                                                                                ENABLE_GRAPH_PARALLEL,
                                                                                AC_PARALLEL_ENABLE,
                                                                                GRAPH_PARALLEL_OPTION_PATH,
                                                                                QUANT_DUMPABLE,
                                                                                TILING_SCHEDULE_OPTIMIZE,
                                                                                GRAPH_MAX_PARALLEL_MODEL_NUM,
                                                                                OPTION_BUILD_CONFIG,
                                                                                OO_LEVEL,
                                                                                OO_CONSTANT_FOLDING,
                                                                                OO_DEAD_CODE_ELIMINATION,
                                                                                OPTION_EXPORT_COMPILE_STAT,
                                                                                OPTIMIZATION_SWITCH,
                                                                                INPUT_HINT_SHAPE,
                                                                                INPUT_HINT_VALUE,
                                                                                OPTION_OUTPUT_REUSE_INPUT_MEM_INDEXES,
                                                                                OPTION_H2D_OVERLAPPED_WITH_COMPUTE,
                                                                                OFFLINE_MODE,
                                                                                EXEC_DEVICE_CONFIG_PATH};

GE_INLINE_VARIABLE const std::set<std::string> global_options = {CORE_TYPE,
                                                                 SOC_VERSION,
                                                                 VIRTUAL_TYPE,
                                                                 BUFFER_OPTIMIZE,
                                                                 ENABLE_COMPRESS_WEIGHT,
                                                                 COMPRESS_WEIGHT_CONF,
                                                                 SPARSITY,
                                                                 PRECISION_MODE,
                                                                 PRECISION_MODE_V2,
                                                                 ALLOW_HF32,
                                                                 TUNE_DEVICE_IDS,
                                                                 EXEC_DISABLE_REUSED_MEMORY,
                                                                 AUTO_TUNE_MODE,
                                                                 ENABLE_SINGLE_STREAM,
                                                                 AC_PARALLEL_ENABLE,
                                                                 AICORE_NUM,
                                                                 FUSION_SWITCH_FILE,
                                                                 ENABLE_SMALL_CHANNEL,
                                                                 OP_SELECT_IMPL_MODE,
                                                                 OPTYPELIST_FOR_IMPLMODE,
                                                                 OP_DEBUG_LEVEL,
                                                                 OP_DEBUG_OPTION,
                                                                 DEBUG_DIR,
                                                                 OP_COMPILER_CACHE_DIR,
                                                                 OP_COMPILER_CACHE_MODE,
                                                                 MODIFY_MIXLIST,
                                                                 COMPRESSION_OPTIMIZE_CONF,
                                                                 OP_DEBUG_CONFIG,
                                                                 DETERMINISTIC,
                                                                 DETERMINISTIC_LEVEL,
                                                                 CLUSTER_CONFIG,
                                                                 HCCL_SUB_COMM_CONFIG,
                                                                 OP_DEPENDENCY_IN_OM,
                                                                 TILING_SCHEDULE_OPTIMIZE,
                                                                 GRAPH_MAX_PARALLEL_MODEL_NUM,
                                                                 OPTION_BUILD_CONFIG,
                                                                 OO_LEVEL,
                                                                 OO_CONSTANT_FOLDING,
                                                                 OO_DEAD_CODE_ELIMINATION,
                                                                 OPTION_EXPORT_COMPILE_STAT,
                                                                 OPTION_H2D_OVERLAPPED_WITH_COMPUTE,
                                                                 OPTIMIZATION_SWITCH};
}  // namespace ir_option
}  // namespace ge

#endif
