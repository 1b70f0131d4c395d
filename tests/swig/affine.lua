-- The C ABI from Lua: builds y = relu(x * 2 - 3), compiles it and runs it; then asks for an operator that does not exist.
local ge = require "openge"

local function check(status)
  if status ~= ge.GE_SUCCESS then error(ge.GeLastErrorMessage(), 2) end
end

-- Calls make(cell) for a function with a `T **out` parameter and gives what came out.
local function take(type, make)
  local cell = ge["new_" .. type .. "_cell"]()
  check(make(cell))
  local value = ge[type .. "_cell_value"](cell)
  ge["delete_" .. type .. "_cell"](cell)
  return value
end

local shape = ge.int64_array(1)
shape[0] = 4
local builder = ge.EsCreateGraphBuilder("affine")
local x = ge.EsCreateGraphInputWithDetails(builder, 0, "x", nil, ge.C_DT_FLOAT, ge.C_FORMAT_ND, shape:cast(), 1)

-- Any operator by its type; it must have one output.
local function op(type, ...)
  local call = ge.GeEsCall()
  call.struct_size = ge.GeEsCall.bytes()
  call.schema = take("GeOpSchema", function(out) return ge.GeOpFind(type, out) end)
  local inputs = ge.GeEsInput.array(select("#", ...))
  for i = 1, select("#", ...) do inputs:at(i - 1).one = (select(i, ...)) end
  call.inputs = inputs
  return take("EsCTensorHolder", function(out) return ge.GeEsAddNode(call, out, nil) end)
end

local y = op("Relu", op("Sub", op("Mul", x, ge.EsCreateScalarFloat(builder, 2)), ge.EsCreateScalarFloat(builder, 3)))
check(ge.EsSetGraphOutput(y, 0))
local built = ge.EsBuildGraphAndReset(builder)
local graph = take("GeGraph", function(out) return ge.GeEsGraphRetainGraph(built, out) end)
local model = take("GeModel", function(out) return ge.GeCompile(graph, nil, out) end)
local context = take("GeRunContext", function(out) return ge.GeRunContextCreate(model, out) end)

local values, result = ge.float_array(4), ge.float_array(4)
for i = 0, 3 do values[i] = i end
local input, output = ge.GeTensorData(), ge.GeTensorData()
input.data_type = ge.C_DT_FLOAT
input.format, input.origin_format = ge.C_FORMAT_ND, ge.C_FORMAT_ND
input.rank, input.origin_rank = 1, 1
input.dims, input.origin_dims = shape:cast(), shape:cast()
input.data, input.size = values:cast(), 16
output.data, output.size = result:cast(), 16
check(ge.GeRun(context, input, 1, output, 1))
for i, expected in ipairs { 0, 0, 1, 3 } do
  assert(result[i - 1] == expected, "element " .. i .. " is " .. result[i - 1])
end

local text = ge.GeText()
check(ge.GeGraphDump(graph, ge.GE_DUMP_READABLE, text))
assert(text:str():find("Relu"), text:str())
local ok, message = pcall(op, "Rellu", x)
assert(not ok and message:find("did you mean Relu"), message)

ge.GeRunContextDestroy(context)
ge.GeModelDestroy(model)
ge.GeGraphDestroy(graph)
ge.GeEsGraphDestroy(built)
ge.EsDestroyGraphBuilder(builder)
print("0 0 1 3")
