from ge._model import Model as Model
from ge._model import engines as engines
from ge._model import load as load
from ge._model import options as options
from ge._traits import op_traits as op_traits
from ge._traits import set_op_traits as set_op_traits

__version__: str
