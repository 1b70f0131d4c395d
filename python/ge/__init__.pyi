from ge._model import Model as Model
from ge._model import engines as engines
from ge._model import load as load
from ge._model import options as options

__version__: str
